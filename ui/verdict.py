"""The rail of a finished run: how the prediction fared, the numbers, and what to do next."""

import streamlit as st

from course.lesson import LabLesson, NumberPredict
from trainer.runs import Run
from ui import controls, number, outcome
from ui.lab_states import Opened
from ui.look import act

_SHOWN = 3
_SPLITS = {"train": "training", "val": "validation"}


def show(opened: Opened, run: Run) -> None:
    """Draw the verdict and the one filled button of this state."""
    lesson, finding = opened.lesson, run.finding
    st.markdown("### What came of it", anchors=False)
    for part, verdict in outcome.verdicts(lesson, run):
        told = number.sentence(verdict.sentence, outcome.origin(run, part.outcome))
        st.markdown(f"{_mark(verdict.right)}{told}")
    if finding:
        st.markdown(number.sentence(finding.text, "M"))
    with st.grid(2, min_column_width=135, wrap=True):
        for name, value in _numbers(lesson, run)[:_SHOWN]:
            number.show(_label(name), value, "", outcome.origin(run, name))
        number.show("Time", run.seconds, "s", "M")
    _target(lesson, run)
    again = act("Run again, change one thing")
    st.button(again, type="primary", width="stretch", on_click=controls.again, args=(run,))


def _mark(right: bool | None) -> str:
    if right is None:
        return ""
    return "**Right.** " if right else "**Not so.** "


def _numbers(lesson: LabLesson, run: Run) -> list[tuple[str, float]]:
    """Return what was asked and what was found, by name: what is a number of these."""
    found: dict[str, float] = {}
    for part in lesson.predict.parts:
        value = outcome.of(run, part.outcome)
        if isinstance(part, NumberPredict) and isinstance(value, (int, float)):
            is_whole = float(value).is_integer() and part.unit
            found[part.outcome] = int(value) if is_whole else value
    target = outcome.of(run, lesson.target.outcome)
    if isinstance(target, (int, float)):
        found[lesson.target.outcome] = target
    finding = run.finding
    if finding:
        found[finding.name] = finding.value
    accuracies = (n for n in run.metrics if n.endswith(("test/accuracy", "val/accuracy")))
    accuracy = min(accuracies, key=lambda name: "test/" not in name, default=None)
    if accuracy:
        found[accuracy] = run.metrics[accuracy]
    return list(found.items())


def _label(name: str) -> str:
    """Return a short label: what does not fit beside its chip would be cut."""
    front, _, metric = name.rpartition("/")
    arm, _, split = front.rpartition(".")
    if arm:
        return f"{arm}, {_SPLITS.get(split, split)}".replace("_", " ").capitalize()
    return (f"Test {metric}" if split == "test" else metric).replace("_", " ").capitalize()


def _target(lesson: LabLesson, run: Run) -> None:
    value = outcome.of(run, lesson.target.outcome)
    if not isinstance(value, (int, float)):
        return
    letter = outcome.origin(run, lesson.target.outcome)
    word = "Reached" if lesson.target.is_beaten(value) else "Not yet reached"
    st.markdown(f"**Target.** {lesson.target.text} {word}: {number.text(value, '', letter)}")
