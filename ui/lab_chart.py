"""The lab's live chart: the same component from the empty axes to the finished curve."""

import re
from typing import Any

import streamlit as st

from course.lesson import LabLesson, NumberPredict, PictureSpec
from ui import ceilings, curve, expected, lab_states, own_choice, stands_on, state
from ui.curve import Ceiling, Flag, GapWords, View
from ui.lab_states import Opened
from ui.settings import Chosen

_FEW = 4  # arms whose lines can be told apart
_REPEAT = re.compile(r"_[0-9]+$")  # an arm once more with another seed
_LOG = {"latency_ms", "loss_difference", "answer_ms", "part_ms"}  # spreads over powers of ten
_NO_BEST = {
    "loss_difference",
    "distance",
    "answer_ms",
    "part_ms",
}  # the least is no merit of the step
# Kept while lines grow, so that nothing jumps; guessing one of ten causes costs ln 10 = 2.3 nats.
_RANGE = {"accuracy": (0.0, 1.0), "loss": (0.0, 2.4), "distance": (0.0, 0.1)}


def show(opened: Opened, said: dict[str, Any], chosen: Chosen) -> None:
    """Draw each curve of the lab, the prediction in the first; a new state reruns the page."""
    run_id = opened.run.id if opened.run else None
    for place, spec in enumerate(_curves(opened.lesson)):
        flag, level = _said(opened, said) if place == 0 else (None, None)
        curve.show(
            run_id,
            spec.data,
            key=f"curve-{opened.lesson.id}-{spec.data}",
            flag=flag,
            level=level,
            **_view(opened, spec, chosen),
        )
        if spec.caption:
            st.markdown(f":small[{spec.caption}]")


def _view(opened: Opened, spec: PictureSpec, chosen: Chosen) -> View:
    view: View = {"x": spec.x, "height": 370, "ceiling": _ceilings(opened, spec, chosen)}
    view["is_log"] = spec.data in _LOG
    if spec.picks and opened.run is not None:
        view["on_pick"], view["picked"] = _follow, state.read().step
    labels = {**spec.labels, **own_choice.labels(opened.run)}
    view |= {"labels": labels, "beneath": spec.beneath}
    view["band"] = expected.band(opened, spec)
    if spec.data in _RANGE:
        view["y_range"] = _RANGE[spec.data]
    epochs = _epochs(opened, chosen)
    if spec.x == "epoch" and epochs:
        view["x_range"] = (0, epochs)
    if opened.run is not None:
        phase = opened.phase
        view["status"] = lab_states.SENT.get(phase, phase)
        view.update(_many(opened.run.plan.get("arms") or {}, spec.data))
    view |= _about(opened.lesson)
    return view | {"has_best": False} if spec.data in _NO_BEST else view


def _follow(step: int) -> None:
    """Put the step that was clicked into the address, where the pictures below find it."""
    state.put({"step": str(step)})
    st.rerun()


def _many(arms: dict[str, int], chart: str) -> View:
    """Of many arms draw the first in full and the others' validation in grey, one seed of each."""
    if len(arms) <= _FEW:
        return {}
    first = [f"train/{chart}", f"val/{chart}"]
    others = [f"{arm}.val/{chart}" for arm in arms if not _REPEAT.search(arm)]
    return {"metrics": first + others, "highlight": first}


def _epochs(opened: Opened, chosen: Chosen) -> int | None:
    """Return how many epochs the run has or will have, where the lab counts in epochs."""
    usual = {info.name: info.default for info in opened.info.settings} if opened.info else {}
    ours = opened.run.config.settings if opened.run else chosen.settings
    epochs = (usual | ours).get("epochs")
    return epochs if isinstance(epochs, int) else None


def _curves(lesson: LabLesson) -> list[PictureSpec]:
    return [spec for spec in lesson.pictures if spec.kind == "curve"]


def _first_number(lesson: LabLesson) -> NumberPredict | None:
    numbers = (part for part in lesson.predict.parts if isinstance(part, NumberPredict))
    return next(numbers, None)


def _said(opened: Opened, said: dict[str, Any]) -> tuple[Flag | None, Flag | None]:
    """Return the prediction as a place and as a height; at most one of them is there."""
    part = _first_number(opened.lesson)
    value = said.get(part.id) if part else None
    is_on_axis = part is not None and part.form != "count"
    if part is None or not is_on_axis or not isinstance(value, (int, float)):
        return None, None
    mark = Flag(float(value), is_set=opened.is_planted or opened.run is not None)
    return (mark, None) if part.form == "flag" else (None, mark)


def _about(lesson: LabLesson) -> View:
    """Return what the first prediction is about, and in which words its distance is said."""
    part = _first_number(lesson)
    if part is None:
        return {}
    if part.form == "count":  # nothing on these axes is what the question asks for
        return {"has_best": False}
    gap = part.gap
    words: GapWords = {
        "one": gap.one,
        "many": gap.many,
        "above": gap.above,
        "below": gap.below,
        "scale": gap.scale,
        "digits": 1 if part.step * gap.scale < 1 else 0,
    }
    return {"gap": words, "truth": part.outcome} if "/" in part.outcome else {"gap": words}


def _ceilings(opened: Opened, spec: PictureSpec, chosen: Chosen) -> list[Ceiling]:
    """Return the accuracies no model can pass."""
    if spec.data != "accuracy":
        return []
    if opened.run is None:
        own = stands_on.inputs(opened.lesson.id).data if own_choice.chosen() else None
        return [] if own else ceilings.expected(chosen.settings)
    if opened.run.record.samples.get("own"):
        return []
    return ceilings.of_run(opened.run) or ceilings.expected(opened.run.config.settings)
