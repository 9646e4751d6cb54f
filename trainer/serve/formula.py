"""What a batching server must do by arithmetic: its own clock, fed with given times; no machine.

S(n) is the time to answer a batch of n rows. All times are seconds unless their name says ms.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt

from trainer.fit import straight

TENTH_MS = 1e-4  # a time below it is noise of the clock


@dataclass(frozen=True, kw_only=True)
class Service:
    """`S(n) = start_ms + row_ms n`; `error` is the root mean square of its relative misses."""

    start_ms: float
    row_ms: float
    error: float = 0.0

    def ms(self, rows: int) -> float:
        """Time of one batch of so many rows."""
        return self.start_ms + self.row_ms * rows

    def seconds(self, rows: int) -> float:
        """The same in seconds."""
        return self.ms(rows) / 1000

    def rows_per_s(self, limit: int) -> float:
        """Most rows a second that batches of at most `limit` rows can bring: B / S(B)."""
        return limit / self.seconds(limit)

    @property
    def gain(self) -> float:
        """Most that batching can bring, however large the batch: (a + b) / b."""
        return self.ms(1) / self.row_ms


def fit(points: Sequence[tuple[int, float]]) -> Service | None:
    """Fits S(n) to measured `(rows, ms)`, each weighed by its own size.

    A batch cannot cost less than nothing, nor less for more rows: where noise says so, that part
    is set to (nearly) nothing. None where there are fewer than two sizes.
    """
    line = straight([(float(rows), ms) for rows, ms in points])
    if line is None:
        return None
    start, slope = max(line.start, 0.0), max(line.slope, TENTH_MS)
    if line.start < 0:  # the best line through the origin instead
        shares = [rows / ms for rows, ms in points]
        slope = sum(shares) / sum(share * share for share in shares)
    misses = [((start + slope * rows - ms) / ms) ** 2 for rows, ms in points]
    return Service(start_ms=start, row_ms=slope, error=sqrt(sum(misses) / len(misses)))


def little(per_s: float, seconds: float) -> float:
    """How many requests are inside on average: rate times time (Little 1961)."""
    return per_s * seconds


def poisson(per_s: float, seconds: float, seed: int) -> list[float]:
    """Arrival times of independent callers: the gaps follow an exponential distribution."""
    draw, times, at = random.Random(seed), [], 0.0
    while (at := at + draw.expovariate(per_s)) < seconds:
        times.append(at)
    return times


@dataclass(frozen=True, kw_only=True, slots=True)
class Passed:
    """How one request fared: at the web's door, in the queue, in a batch of so many rows."""

    arrived: float
    web: float
    queue: float
    compute: float
    rows: int

    @property
    def latency(self) -> float:
        """From arrival to answer."""
        return self.web + self.queue + self.compute


@dataclass(frozen=True, kw_only=True)
class Batching:
    """A batch goes when `limit` rows are there or its oldest request has waited `delay` seconds.

    Each request brings `rows` rows and first takes `web` seconds to be read, one after another.
    """

    limit: int
    delay: float = 0.0
    web: float = 0.0
    rows: int = 1


def simulate(
    arrivals: Sequence[float], service: Callable[[int], float], batching: Batching
) -> list[Passed]:
    """Every request in order, by the queue's own clock: exact for these arrivals.

    Args:
        arrivals: when the requests come, in order.
        service: seconds to answer a batch of so many rows.
        batching: when a batch goes.
    """
    ready = list(_read(arrivals, batching.web))
    most = max(1, batching.limit // batching.rows)  # requests a batch
    passed: list[Passed] = []
    free = 0.0
    while (first := len(passed)) < len(ready):
        start = _start(ready, first, free, most, batching.delay)
        batch = first
        while batch < min(first + most, len(ready)) and ready[batch] <= start:
            batch += 1
        rows = (batch - first) * batching.rows
        compute = service(rows)
        for at in range(first, batch):
            waited, read = start - ready[at], ready[at] - arrivals[at]
            one = Passed(arrived=arrivals[at], web=read, queue=waited, compute=compute, rows=rows)
            passed.append(one)
        free = start + compute
    return passed


def _read(arrivals: Sequence[float], web: float) -> Iterator[float]:
    """When each request has been read: one at a time, in order."""
    free = 0.0
    for arrived in arrivals:
        free = max(free, arrived) + web
        yield free


def _start(ready: Sequence[float], first: int, free: float, most: int, delay: float) -> float:
    """When the batch whose oldest request is `first` goes."""
    due = ready[first] + delay
    if first + most <= len(ready):
        due = min(due, ready[first + most - 1])  # full before its time
    return max(free, due)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all does not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[max(0, ceil(share * len(ranked)) - 1)]


def knee(points: Sequence[tuple[float, float]], times: float) -> float | None:
    """The rate at which the height passes `times` the first one, between the two points around it.

    `points` are `(rate, height)` in order of rate. None where no point lies above.
    """
    if not points:
        return None
    bound = times * points[0][1]
    for (rate, height), (after, higher) in pairwise(points):
        if higher > bound:
            return rate + (after - rate) * max(0.0, bound - height) / (higher - height)
    return None
