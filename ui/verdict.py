"""The rail of a finished run: how the prediction fared, the numbers, and what to do next."""

import streamlit as st

from course.lesson import LabLesson, NumberPredict
from trainer.runs import Run
from ui import controls, number, outcome
from ui.lab_states import Opened
from ui.look import act

_SHOWN = 4
_SPLITS = {"train": "training", "val": "validation"}


def show(opened: Opened, run: Run) -> None:
    """Draw the verdict and the one filled button of this state."""
    lesson, finding = opened.lesson, run.finding
    st.markdown("### What came of it", anchors=False)
    for _, verdict in outcome.verdicts(lesson, run):
        st.markdown(f"{_mark(verdict.right)}{number.sentence(verdict.sentence, 'M')}")
    if finding:
        st.markdown(number.sentence(finding.text, "M"))
    with st.grid(2, min_column_width=135, wrap=True):
        for label, value, unit in _numbers(lesson, run)[:_SHOWN]:
            number.show(label, value, unit, "M")
    _target(lesson, run)
    again = act("Run again, change one thing")
    st.button(again, type="primary", width="stretch", on_click=controls.again, args=(run,))


def _mark(right: bool | None) -> str:
    if right is None:
        return ""
    return "**Right.** " if right else "**Not so.** "


def _numbers(lesson: LabLesson, run: Run) -> list[tuple[str, float | None, str]]:
    """Return what was asked, what was found, and the time: what is a number of these."""
    found: dict[str, tuple[str, float | None, str]] = {}
    for part in lesson.predict.parts:
        value = outcome.of(run, part.outcome)
        if isinstance(part, NumberPredict) and isinstance(value, (int, float)):
            whole = int(value) if float(value).is_integer() and part.unit else value
            found[part.outcome] = (_label(part.outcome), whole, "")
    target = outcome.of(run, lesson.target.outcome)
    if isinstance(target, (int, float)):
        found[lesson.target.outcome] = (_label(lesson.target.outcome), target, "")
    finding = run.finding
    if finding:
        found[finding.name] = (_label(finding.name), finding.value, "")
    accuracies = (n for n in run.metrics if n.endswith(("test/accuracy", "val/accuracy")))
    accuracy = min(accuracies, key=lambda name: "test/" not in name, default=None)
    if accuracy:
        found[accuracy] = (_label(accuracy), run.metrics[accuracy], "")
    return [*found.values(), ("Time", run.seconds, "s")]


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
    word = "Reached" if lesson.target.is_beaten(value) else "Not yet reached"
    st.markdown(f"**Target.** {lesson.target.text} {word}: {number.text(value, '', 'M')}")
