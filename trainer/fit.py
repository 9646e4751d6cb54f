"""A straight line through measured points, each weighed by its own size."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, kw_only=True)
class Line:
    """`y = start + slope * x`; `error` is the root mean square of its relative misses."""

    start: float
    slope: float
    error: float


def straight(points: Sequence[tuple[float, float]]) -> Line | None:
    """Least squares on relative misses, so that small points count as much as large ones.

    None where the points have fewer than two places, or a height that is not above zero.
    """
    if len({x for x, _ in points}) < 2 or min(y for _, y in points) <= 0:
        return None
    weights = [1 / (y * y) for _, y in points]
    total = sum(weights)
    x_mean = sum(w * x for w, (x, _) in zip(weights, points, strict=True)) / total
    y_mean = sum(w * y for w, (_, y) in zip(weights, points, strict=True)) / total
    pairs = [(w, x - x_mean, y - y_mean) for w, (x, y) in zip(weights, points, strict=True)]
    slope = sum(w * dx * dy for w, dx, dy in pairs) / sum(w * dx * dx for w, dx, _ in pairs)
    start = y_mean - slope * x_mean
    misses = [((start + slope * x - y) / y) ** 2 for x, y in points]
    return Line(start=start, slope=slope, error=sqrt(sum(misses) / len(misses)))
