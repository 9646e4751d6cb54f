"""The lab's live chart: the same component from the empty axes to the finished curve."""

from typing import Any

from course.lesson import LabLesson, NumberPredict, PictureSpec
from ui import curve
from ui.lab_states import Opened
from ui.settings import Chosen


def show(opened: Opened, said: dict[str, Any], chosen: Chosen) -> None:
    """Draw each curve of the lab, the prediction in the first."""
    run_id = opened.run.id if opened.run else None
    for place, spec in enumerate(_curves(opened.lesson)):
        flag = _flag(opened.lesson, said) if place == 0 else None
        curve.show(run_id, spec.data, x=spec.x, flag=flag, height=370)


def _curves(lesson: LabLesson) -> list[PictureSpec]:
    return [spec for spec in lesson.pictures if spec.kind == "curve"]


def _flag(lesson: LabLesson, said: dict[str, Any]) -> float | None:
    for part in lesson.predict.parts:
        value = said.get(part.id)
        if isinstance(part, NumberPredict) and isinstance(value, (int, float)):
            return float(value)
    return None
