"""The prediction that the address carries: used where it answers the question, else left out."""

import json
from dataclasses import dataclass
from typing import Any

from course.lesson import AnyPart, LabLesson, NumberPredict
from trainer.catalogue import LabInfo
from ui import state

SPOILT = (
    "The prediction in the address does not answer this question, so it was left out. Say what "
    "you expect."
)


@dataclass(frozen=True)
class Planted:
    """What was said, packed as a run keeps it; None for no idea and for nothing said."""

    packed: Any = None
    is_there: bool = False
    is_spoilt: bool = False


def read(lesson: LabLesson, info: LabInfo | None) -> Planted:
    """Return the prediction in the address; each part is checked against its question."""
    said = state.read().said
    if said is None:
        return Planted()
    if said == state.NO_IDEA:
        return Planted(is_there=True)
    try:
        packed = json.loads(said)
    except (ValueError, RecursionError):
        return Planted(is_spoilt=True)
    if not _answers(lesson, info, packed):
        return Planted(is_spoilt=True)
    return Planted(packed, is_there=True)


def _answers(lesson: LabLesson, info: LabInfo | None, packed: Any) -> bool:
    values = lesson.predict.unpack(packed)
    said = [(part, values[part.id]) for part in lesson.predict.parts if values[part.id] is not None]
    return bool(said) and all(_accepts(part, value, info) for part, value in said)


def _accepts(part: AnyPart, value: Any, info: LabInfo | None) -> bool:
    if not isinstance(part, NumberPredict):
        return part.accepts(value)
    settings = info.settings if info else ()
    highest = (entry.high for entry in settings if entry.name == part.high_from)
    return part.accepts(value, next(highest, None))
