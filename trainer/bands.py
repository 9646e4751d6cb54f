"""Bands: between which values a figure lay at each step, over runs that differ by seed only."""

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

Band = dict[str, list[Any]]
Line = Sequence[tuple[int, float]]  # (step, value)
MOST_STEPS = 300  # of a band: about one for two pixels of its chart
_DIGITS = 4  # that count


def band(runs: Sequence[Line], most: int = MOST_STEPS) -> Band | None:
    """Return `{"steps", "low", "mid", "high"}` over the steps that every run has; None without any.

    Where there are more than `most` steps, neighbours are put together: the lowest of the low, the
    highest of the high, the median of the medians, at the middle step. A step at which a run has
    no finite value is left out.
    """
    known = [{step: value for step, value in run if math.isfinite(value)} for run in runs]
    steps = sorted(set.intersection(*map(set, known))) if known else []
    if not steps:
        return None
    size = -(-len(steps) // most)
    found: Band = {"steps": [], "low": [], "mid": [], "high": []}
    for start in range(0, len(steps), size):
        near = steps[start : start + size]
        values = [[run[step] for run in known] for step in near]
        found["steps"].append(near[len(near) // 2])
        found["low"].append(_short(min(map(min, values))))
        found["mid"].append(_short(median(map(median, values))))
        found["high"].append(_short(max(map(max, values))))
    return found


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
