"""How long a model takes for n rows at once, S(n), with no server around it: measured and kept."""

import bisect
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from trainer import events
from trainer.serve.tensors import Array

_LEAST, _MOST = 3, 50  # times that one number of rows is measured
_SECONDS = 0.03  # for one number of rows, if that is enough for the least


@dataclass(frozen=True)
class Bare:
    """Seconds by number of rows, the numbers ascending."""

    rows: tuple[int, ...]
    seconds: tuple[float, ...]

    @classmethod
    def measure(cls, forward: Callable[[Array], Array], example: Array, most: int) -> Self:
        """Warm the model up and measure it at 1, 2, 4 ... rows, to at least `most`.

        `example` is one row; a point is the median of several calls after one that is not counted.
        """
        rows = [1]
        while rows[-1] < most:
            rows.append(2 * rows[-1])
        seconds = [_median_s(forward, np.repeat(example, count, axis=0)) for count in rows]
        return cls(tuple(rows), tuple(seconds))

    def expected_s(self, rows: int) -> float:
        """Return the time for that many rows, on the line between the measured neighbours."""
        place = min(bisect.bisect_left(self.rows, rows), len(self.rows) - 1)
        if place == 0:
            return self.seconds[0]
        (r0, r1), (s0, s1) = self.rows[place - 1 : place + 1], self.seconds[place - 1 : place + 1]
        return max(s0 + (s1 - s0) * (rows - r0) / (r1 - r0), 1e-6)

    def points(self) -> list[tuple[int, float]]:
        """Return the points as rows and milliseconds."""
        pairs = zip(self.rows, self.seconds, strict=True)
        return [(rows, round(1e3 * seconds, 5)) for rows, seconds in pairs]

    def write(self, place: Path) -> None:
        """Keep the points as JSON, in one piece."""
        events.replace(place, json.dumps({"rows": self.points()}).encode())


def _median_s(forward: Callable[[Array], Array], feed: Array) -> float:
    forward(feed)
    times: list[float] = []
    while len(times) < _LEAST or (len(times) < _MOST and sum(times) < _SECONDS):
        start = time.perf_counter()
        forward(feed)
        times.append(time.perf_counter() - start)
    return statistics.median(times)
