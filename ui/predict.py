"""The prediction in the rail: what a learner says before the run, and how sure they are."""

import json
from typing import Any

import streamlit as st

from course.lesson import AnyPart, LabLesson, NumberPredict, RankPredict
from ui import state
from ui.look import act

_SURE = {"guessing": "Guessing", "fairly": "Fairly", "certain": "Certain"}
_PLANT = {"flag": "Plant the flag", "bar": "Set the bar", "count": "Write it down"}
_PLANT |= {"choice": "Tick it", "rank": "Keep it"}


def show(lesson: LabLesson, settings: dict[str, Any]) -> dict[str, Any]:
    """Draw the prediction; returns what is said so far, by part, to be drawn into the chart."""
    with st.container(gap="small"):
        values = {part.id: _part(lesson, part, settings) for part in lesson.predict.parts}
        sure = st.segmented_control(
            "How sure are you?",
            list(_SURE),
            default=state.read().sure if state.read().sure in _SURE else "fairly",
            required=True,
            format_func=_SURE.__getitem__,
            width="stretch",
            key=f"sure-{lesson.id}",
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            said = any(value is not None for value in values.values())
            label = plant_label(lesson)
            if st.button(act(label) if said else label, type="primary", disabled=not said):
                _plant(json.dumps(lesson.predict.pack(values)), sure)
            if st.button("No idea", type="tertiary", key=f"no-idea-{lesson.id}"):
                _plant(state.NO_IDEA, None)
    return values


def plant_label(lesson: LabLesson) -> str:
    """Return the words of the button that makes a prediction final."""
    first = lesson.predict.parts[0]
    return _PLANT[first.form if isinstance(first, NumberPredict) else first.kind]


def _plant(said: str, sure: str | None) -> None:
    state.put({"said": said, "sure": sure})
    st.rerun()


def _part(lesson: LabLesson, part: AnyPart, settings: dict[str, Any]) -> Any:
    if isinstance(part, NumberPredict):
        return _number(lesson, part, settings)
    key = f"said-{lesson.id}-{part.id}"
    ids = [choice.id for choice in part.choices]
    if isinstance(part, RankPredict):
        order = st.multiselect(
            part.question, ids, format_func=part.label, key=key, placeholder="First first"
        )
        return order if len(order) == len(ids) else None
    return st.pills(part.question, ids, format_func=part.label, key=key, wrap=True)


def _number(lesson: LabLesson, part: NumberPredict, settings: dict[str, Any]) -> float | int:
    whole = float(part.step).is_integer()
    kind = int if whole else float
    high = kind(settings.get(part.high_from or "", part.high))
    value = min(max(kind(part.default), kind(part.low)), high)
    return st.slider(
        part.question,
        kind(part.low),
        high,
        value,
        kind(part.step),
        key=f"said-{lesson.id}-{part.id}-{high}",
    )
