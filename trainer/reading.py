"""Reads curves: says in plain words how a training goes, by one rule that everybody may look up."""

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import Any, Literal

from trainer.history import Point

Kind = Literal[
    "diverging", "overfitting", "worsening", "improving", "half", "too early", "flat", "mixed"
]
_FEW = 8  # points, below which nothing is said
_FLAT, _TURNED = 0.01, 0.03  # of a line's whole range
_SURE, _VERY_SURE, _CLEAR = 2.0, 3.0, 4.0  # standard errors
_JUMP = 0.954  # the median jump of pure noise, in its standard deviations
_HIGH_IS_GOOD = ("accuracy", "share", "f1")
_LEARNING = ("loss", "accuracy")  # charts whose lines get a word; times have another story
_SPLITS = {"train": "Training", "val": "Validation", "test": "Test"}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one chart says: `bold` and `rest` are one sentence.

    In it `{since}` stands for the place of step `since` of the line `line`, and `{gap}` for the
    distance `gap` between the lines: how places and figures are written is the reader's affair.
    """

    kind: Kind
    bold: str
    rest: str
    line: str = ""
    since: int | None = None
    gap: float | None = None


def read(train: Sequence[Point], val: Sequence[Point], *, low: bool = True) -> Reading | None:
    """Read training and validation together; the first rule that fits speaks.

    - Diverging: a figure is not a number or infinite, or the last fifth of training is worse than
      its first fifth by more than three standard errors and 3 % of the line's whole range.
    - Overfitting: validation was best at an earlier point, with at least three points and a
      twentieth of all since. The mean of the last quarter of those is worse than the best mean of
      any tenth of the line, by more than 3 % of the whole range and by more than four standard
      errors, which the usual jump from point to point gives; training did not get worse.
    - Falling, flat or rising: the last fifth of a line is held against the fifth before it. A
      change of less than 1 % of the whole range, or of two standard errors, counts as flat.
    - Nothing is said before both lines have eight points.

    Args:
        train: `(step, value, seconds)`, in the order of the steps.
        val: the same for validation.
        low: whether small values are the good ones.
    """
    lost = _lost("train", train, "Training") or _lost("val", val, "Validation")
    if lost or min(len(train), len(val)) < _FEW:
        return lost
    ways = [trend(points) * (-1 if low else 1) for points in (train, val)]
    if _has_diverged(train, low=low):
        what = "Training loss is higher" if low else "Training is lower"
        return Reading(kind="diverging", bold=f"{what} than at the start", rest=": it diverges.")
    best = _turn(val, low=low)
    if best is not None:
        bold = f"Validation has {'risen' if low else 'fallen'} since {{since}}"
        kind: Kind = "worsening" if ways[0] < 0 else "overfitting"
        why = {"worsening": "training got worse as well", "overfitting": "the model overfits"}
        return Reading(kind=kind, bold=bold, rest=f": {why[kind]}.", line="val", since=best)
    return _both(ways, abs(val[-1][1] - train[-1][1]), "fall" if low else "rise")


_BULLETS = (inspect.getdoc(read) or "").partition("\n\nArgs")[0].split("\n- ")[1:]
RULES = tuple(" ".join(bullet.split()) for bullet in _BULLETS)  # as the page shows them


def trend(points: Sequence[Point]) -> int:
    """Return +1 for rising, -1 for falling, 0 for flat, by the rule of `read`."""
    values = [value for _, value, _ in points]
    size = max(2, len(values) // 5)
    before, last = values[-2 * size : -size], values[-size:]
    change = fmean(last) - fmean(before)
    is_flat = abs(change) <= _FLAT * (max(values) - min(values))
    return (
        0
        if is_flat or abs(change) <= _SURE * _error(before, last)
        else int(math.copysign(1, change))
    )


def of_lines(lines: Mapping[str, Sequence[Point]]) -> dict[str, Any]:
    """Return a reading of each chart with training and validation, and a word for each line.

    `{"charts": {"loss": {"kind", "bold", "rest", "line", "since", "gap"}}, "lines": {name: word}}`.
    """
    charts: dict[str, Any] = {}
    for chart in sorted({name.partition("/")[2] for name in lines}):
        train, val = (lines.get(f"{split}/{chart}", ()) for split in ("train", "val"))
        named = {name: points for name, points in lines.items() if name.endswith(f"/{chart}")}
        found = _any_lost(named) or read(train, val, low=chart not in _HIGH_IS_GOOD)
        if found:
            line = found.line if "/" in found.line else f"{found.line}/{chart}"
            charts[chart] = found.__dict__ | {"line": line}
    words = {-1: "falling", 0: "flat", 1: "rising"}
    told = {
        name: words[trend(points)]
        for name, points in lines.items()
        if name.partition("/")[2] in _LEARNING
        and len(points) >= _FEW
        and not _lost(name, points, name)
    }
    return {"charts": charts, "lines": told}


def _both(ways: list[int], gap: float, falls: str) -> Reading:
    """Both lines go on: which of them still gets better."""
    falling, rises = (
        {"fall": "falling", "rise": "rising"}[falls],
        {"fall": "rises", "rise": "falls"},
    )
    match ways:
        case [1, 1]:
            return Reading(
                kind="improving", bold=f"Both lines are {falling}", rest=", {gap} apart.", gap=gap
            )
        case [1, 0]:
            rest = "; validation has come to rest."
            return Reading(kind="half", bold=f"Only training still {falls}s", rest=rest)
        case [0, 1]:
            rest = "; training has come to rest."
            return Reading(kind="half", bold=f"Only validation still {falls}s", rest=rest)
        case [1, -1]:
            bold = f"Training {falls}s and validation {rises[falls]}"
            rest = "; it is too early to call that overfitting."
            return Reading(kind="too early", bold=bold, rest=rest)
        case [0, 0]:
            rest = ": more of the same training changes little."
            return Reading(kind="flat", bold="Both lines are flat", rest=rest)
    worse = "Training" if ways[0] < 0 else "Validation"
    return Reading(
        kind="mixed", bold=f"{worse} {rises[falls]}", rest=" against what it was before."
    )


def _has_diverged(points: Sequence[Point], *, low: bool) -> bool:
    values = [value for _, value, _ in points]
    size = max(2, len(values) // 5)
    first, last = values[:size], values[-size:]
    worse = (fmean(last) - fmean(first)) * (1 if low else -1)
    return worse > _VERY_SURE * _error(first, last) and worse > _TURNED * (
        max(values) - min(values)
    )


def _error(one: Sequence[float], two: Sequence[float]) -> float:
    """Return the standard error of the difference between two means."""
    return math.sqrt(sum(_variance(part) / (len(part) - 1) for part in (one, two)))


def _variance(values: Sequence[float]) -> float:
    mean = fmean(values)
    return fmean((value - mean) ** 2 for value in values)


def _turn(points: Sequence[Point], *, low: bool) -> int | None:
    """Return the step at which validation turned for the worse, None where it did not."""
    values = [value * (1 if low else -1) for _, value, _ in points]
    place = values.index(min(values))
    after = values[place + 1 :]
    if len(after) < max(3, len(values) / 20):
        return None
    tenth, last = max(1, len(values) // 10), after[-math.ceil(len(after) / 4) :]
    best = min(fmean(values[k : k + tenth]) for k in range(len(values) - tenth + 1))
    noise = median(abs(b - a) for a, b in pairwise(values)) / _JUMP
    error = noise * math.sqrt(1 / tenth + 1 / len(last))
    least = max(_TURNED * (max(values) - min(values)), _CLEAR * error)
    is_clear = fmean(last) - best > least
    return points[place][0] if is_clear else None


def _any_lost(lines: Mapping[str, Sequence[Point]]) -> Reading | None:
    """Return the first line that holds what is no number."""
    for name, points in lines.items():
        arm, _, split = name.partition("/")[0].rpartition(".")
        told = f"{_SPLITS.get(split, split)}{f' ({arm})' if arm else ''}".replace("_", " ")
        if lost := _lost(name, points, told):
            return lost
    return None


def _lost(name: str, points: Sequence[Point], told: str) -> Reading | None:
    if math.isfinite(sum(value for _, value, _ in points)):
        return None
    for step, value, _ in points:
        if not math.isfinite(value):
            what = "not a number (NaN)" if math.isnan(value) else "infinite"
            bold, rest = f"{told} is {what} since {{since}}", ": training has diverged."
            return Reading(kind="diverging", bold=bold, rest=rest, line=name, since=step)
    return None
