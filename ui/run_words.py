"""How a line of the history reads: its lab, status, prediction and metrics in words."""

from typing import Any

from course import prediction
from course.lesson import AnyPart, NumberPredict
from course.load import load
from trainer.runs import RunStatus
from trainer.tracking import Row
from ui import number

_SPLITS = {"train": "training", "val": "validation", "test": "test"}
_LOW_IS_GOOD, _HIGH_IS_GOOD = ("loss", "perplexity"), ("accuracy", "f1")


def lab(lab_id: str) -> str:
    """Return a lab's number and title."""
    lesson = load().labs.get(lab_id)
    return f"{lesson.number} {lesson.title}" if lesson else lab_id


def status(row: Row) -> str:
    """Return the status as a learner says it."""
    match row.status:
        case RunStatus.SCHEDULED:
            return "Waiting in line"
        case RunStatus.RUNNING:
            return "Paused" if row.is_paused else "Running"
        case RunStatus.FINISHED:
            return "Finished"
        case RunStatus.KILLED:
            return f"Stopped at step {number.figure(row.step)}"
    return f"Failed at step {number.figure(row.step)}"


def said(row: Row) -> str:
    """Return the prediction in the words of its question."""
    lesson = load().labs.get(row.lab)
    if row.prediction is None or lesson is None:
        return "No idea" if row.prediction is None else str(row.prediction)
    values = lesson.predict.unpack(row.prediction)
    return "; ".join(_plain(part, values[part.id]) for part in lesson.predict.parts)


def was(row: Row) -> str:
    """Return what the run measured of it; empty while it has not."""
    lesson = load().labs.get(row.lab)
    if lesson is None or row.status is not RunStatus.FINISHED:
        return ""
    findings = {row.finding.name: row.finding.value} if row.finding else {}
    measured = [
        prediction.find_outcome(part.outcome, row.metrics, findings, row.samples)
        for part in lesson.predict.parts
    ]
    told = zip(lesson.predict.parts, measured, strict=True)
    return "; ".join(_plain(part, value) for part, value in told if value is not None)


def stands_on(row: Row) -> str:
    """Return the run whose model this one went on with, else the tickets it was told to use."""
    parent, data = row.params.get("parent"), row.params.get("data")
    if parent:
        return f"model of {parent.split('-', 2)[-1]}"
    digest, _, split = (data or "").partition(".")
    return f"tickets {digest[:4]}\N{HORIZONTAL ELLIPSIS} by {split or 'device'}" if data else ""


def metric(raw: str) -> str:
    """Return a metric's name in words: `val/loss` becomes `validation loss`."""
    left, _, what = raw.rpartition("/")
    arm, _, split = left.rpartition(".")
    told = f"{_SPLITS.get(split, split)} {what}".replace("_", " ").strip()
    return f"{told} ({arm.replace('_', ' ')})" if arm else told


def is_low_good(raw: str) -> bool | None:
    """Return whether a small value of this metric is the better one; None where nobody can say."""
    what = raw.rpartition("/")[2]
    if what in _LOW_IS_GOOD:
        return True
    return False if what in _HIGH_IS_GOOD else None


def ranked(metrics: set[str], rows: list[Row]) -> list[str]:
    """Sort metrics: validation before the rest, its loss first, the first arm first."""

    def rank(raw: str) -> tuple[bool, bool, int, str]:
        start = min((row.arm_start(raw) for row in rows if raw in row.metrics), default=0)
        return ("val/" not in raw, is_low_good(raw) is not True, start, raw)

    return sorted(metrics, key=rank)


def _plain(part: AnyPart, value: Any) -> str:
    label = getattr(part, "label", None)
    if isinstance(value, list):
        return ", ".join(label(item) if label else str(item) for item in value)
    if label and value is not None:
        return str(label(value))
    if isinstance(value, (int, float)):
        whole = int(value) if float(value).is_integer() else value
        if isinstance(part, NumberPredict) and part.form == "flag":
            return f"{part.gap.one} {number.figure(whole)}"
        return number.figure(whole, getattr(part, "unit", ""))
    return "No idea"
