"""How long the steps of one process and of several took, and which of them reads tickets faster.

Times are [one process, several] in ms. With `share` above 1 the several read so many times more.
"""

from collections.abc import Sequence
from statistics import median, quantiles
from typing import Any

Times = Sequence[Sequence[float]]
CLEARLY = 1.5  # a smaller factor may be the noise of a shared machine


def factor(times: Times, share: int) -> float:
    """How many tickets the several read in the time in which the one process reads one."""
    alone, together = (median(side) for side in zip(*times, strict=True))
    return float(share * alone / together)


def faster(times: Times, share: int) -> str:
    """Whether several are `faster`, about the `same` or `slower`."""
    ratio = factor(times, share)
    return "faster" if ratio >= CLEARLY else "slower" if ratio * CLEARLY <= 1 else "same"


def table(times: Times, workers: int, share: int) -> dict[str, Any]:
    """The figures as a picture of a table takes them."""
    sides = list(zip(*times, strict=True))
    ratio = factor(times, share)
    rows: list[list[Any]] = [
        ["a step, median", *(_cell(median(side), "ms") for side in sides)],
        ["one step in ten took more than", *(_cell(_tenth(side), "ms") for side in sides)],
        ["tickets read in the same time", None, _cell(ratio, "times")],
        ["of what that many cores could do", None, _cell(100 * ratio / workers, "%")],
    ]
    return {"columns": ["", "one process", f"{workers} workers"], "rows": rows}


def _tenth(side: Sequence[float]) -> float:
    return quantiles(side, n=10)[-1]


def _cell(value: float, unit: str = "") -> dict[str, Any]:
    return {"value": value, "unit": unit, "origin": "M"}
