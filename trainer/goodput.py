"""Goodput: which share of the time a training keeps, when it saves so often and fails so often.

Formula and replay share one model: work for an interval, save, and begin again. A failure costs all
work since the last save, and a restart. T interval, d save, R restart, M mean time to failure.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp, expm1, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

FAILURES = 1_000
_PLACES = 41  # intervals that are tried, evenly by factors
_REACH = 32.0  # the shortest and the longest are so many times off Young's
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What was measured, and how often failures come, all in seconds."""

    step_s: float
    save_s: float
    restart_s: float
    mtbf_s: float


def young(costs: Costs) -> float:
    """The best interval in seconds by Young's formula, sqrt(2 d M).

    Source: J. W. Young, Communications of the ACM 17 (1974), page 530.
    """
    return sqrt(2 * costs.save_s * costs.mtbf_s)


def expected(costs: Costs, interval_s: float) -> float:
    """Goodput in the mean: T / (exp((T + d) / M) - 1) seconds are kept of every M + R."""
    cycles = (interval_s + costs.save_s) / costs.mtbf_s
    kept = interval_s / expm1(cycles) if cycles < 500 else interval_s * exp(-cycles)
    return kept / (costs.mtbf_s + costs.restart_s)


def draw(mtbf_s: float, seed: int) -> Floats:
    """1,000 times to the next failure, in seconds: failures come at any moment alike."""
    return np.random.default_rng([seed, 5]).exponential(mtbf_s, FAILURES)


def replay(costs: Costs, interval_s: float, gaps_s: Floats) -> float:
    """Goodput when exactly these failures strike one after another."""
    kept = interval_s * np.floor(gaps_s / (interval_s + costs.save_s)).sum()
    return float(kept / (gaps_s.sum() + costs.restart_s * len(gaps_s)))


def picture(costs: Costs, own_interval_s: float, seed: int) -> dict[str, Any]:
    """The replayed points, the formula's line, both optima, and the learner's own interval."""
    gaps = draw(costs.mtbf_s, seed)
    best = young(costs)
    intervals = [float(each) for each in np.geomspace(best / _REACH, best * _REACH, _PLACES)]
    points = [[each, replay(costs, each, gaps)] for each in intervals]
    top = max(points, key=lambda point: point[1])
    return asdict(costs) | {
        "failures": FAILURES,
        "points": points,
        "line": [[each, expected(costs, each)] for each in intervals],
        "young": [best, expected(costs, best)],
        "best": top,
        "own": [own_interval_s, expected(costs, own_interval_s)],
    }


def nearest(interval_s: float, choices: dict[str, float]) -> str:
    """The choice whose interval is nearest by factor."""
    return min(choices, key=lambda name: abs(np.log(choices[name] / interval_s)))


def usual(times_s: Sequence[float], otherwise: float) -> float:
    """The median of measured times; `otherwise` where there is none."""
    return float(np.median(times_s)) if times_s else otherwise
