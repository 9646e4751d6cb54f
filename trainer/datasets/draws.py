"""Seeded draws that give the same values on every machine and in every Python version.

Only `random.Random.random` and exact arithmetic are used: Python promises that stream for ever,
which it does not for `choice`, `sample` or the bell curve. What is drawn is the callers' matter.
"""

import bisect
import random
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")

# Inverse cumulative distributions at 0, 1/8 .. 1, joined by straight lines: skewed like waiting and
# repair times, without a logarithm whose last bit could differ between machines.
WAITING = (0.0, 0.13, 0.29, 0.47, 0.69, 0.98, 1.39, 2.08, 4.6)
REPAIR = (0.25, 0.50, 0.67, 0.83, 1.0, 1.21, 1.50, 2.0, 4.0)


class Draws:
    """A stream of draws named by seed and purpose, so that streams do not disturb one another."""

    def __init__(self, seed: int, purpose: str) -> None:
        """The stream of this seed for this purpose."""
        self.unit = random.Random(f"{purpose}/{seed}").random

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.unit() < probability

    def below(self, count: int) -> int:
        """A whole number from 0 up to, not including, `count`."""
        return int(self.unit() * count)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, each as likely."""
        return items[self.below(len(items))]

    def weighted(self, weights: Sequence[float]) -> int:
        """The place of one item, as likely as its weight."""
        return self.cumulative(list(accumulate(weights)))

    def cumulative(self, sums: Sequence[float]) -> int:
        """Like `weighted`, for weights that were summed up already."""
        return min(bisect.bisect_right(sums, self.unit() * sums[-1]), len(sums) - 1)

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items in random order."""
        return self.shuffled(items)[:count]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        pool = list(items)
        for place in range(len(pool) - 1, 0, -1):
            other = self.below(place + 1)
            pool[place], pool[other] = pool[other], pool[place]
        return pool

    def curve(self, quantiles: Sequence[float]) -> float:
        """A value from the distribution whose evenly spaced quantiles are given."""
        place = self.unit() * (len(quantiles) - 1)
        low = int(place)
        return quantiles[low] + (quantiles[low + 1] - quantiles[low]) * (place - low)
