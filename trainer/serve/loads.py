"""Which loads a run puts on its endpoint: what one and what many callers get, then points."""

from collections.abc import Mapping, Sequence
from typing import Any

from trainer.serve.private import Limits

SHARES = (0.15, 0.4, 0.6, 0.8, 0.9, 1.0)  # of the capacity, for callers who do not wait
CALLERS = (1, 2, 4, 8, 16, 32)  # at once, for callers who wait
COUNT = 2 + len(SHARES)
_FEWEST, _MOST = 16, 128


def capacity(done: Sequence[Mapping[str, Any]]) -> float:
    """Most answers a second that one or many callers got, from the loads that are done."""
    return max(float(load["per_s"]) for load in done[:2])


def following(
    done: Sequence[Mapping[str, Any]], limits: Limits, *, is_open: bool
) -> dict[str, Any]:
    """The load after those that are done: its name, and what is asked of the generator."""
    place = len(done) - 2
    if place == -2:
        return {"name": "one caller", "callers": 1}
    if place == -1:
        callers = 2 * limits.max_batch // limits.rows
        return {"name": "all at once", "callers": min(_MOST, max(_FEWEST, callers))}
    if is_open:
        share = SHARES[place]
        return {"name": f"{share:.0%} of capacity", "per_s": share * capacity(done)}
    return {"name": f"{CALLERS[place]} at once", "callers": CALLERS[place]}
