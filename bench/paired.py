"""Contestants take turns in shuffled blocks; figures are ratios within a round, never times."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles

Contestant = Callable[[], None]  # works through one block
ENOUGH = 0.5  # with fewer quiet rounds than this share, all are used and the verdict is void
WAITED = 1.5  # a block whose wall time is this many times its CPU time shared its core


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """CPU seconds per block of each contestant, one entry a round.

    `is_quiet` is false where void rounds had to be used because too few others were left.
    """

    seconds: dict[str, list[float]]
    counted: int
    void: int
    is_quiet: bool

    def ratios(self, name: str, baseline: str, extra_s: float = 0.0) -> list[float]:
        """What `name` took of the baseline's time in each round; `extra_s` is added to a block."""
        pairs = zip(self.seconds[name], self.seconds[baseline], strict=True)
        return [(own + extra_s) / base for own, base in pairs]


def take_turns(contestants: dict[str, Contestant], *, rounds: int, seed: int = 0) -> Rounds:
    """Lets all contestants work through one block a round, in an order drawn anew each round.

    CPU time counts all threads of this process. A round is void when one of its blocks had to
    wait for its core: caches are cold then, and the other blocks of the round did not pay for it.
    """
    draw = random.Random(seed)
    quiet: list[dict[str, float]] = []
    void: list[dict[str, float]] = []
    for _ in range(rounds):
        taken = {name: _timed(contestants[name]) for name in _shuffled(contestants, draw)}
        had_to_wait = any(wall > WAITED * cpu for cpu, wall in taken.values())
        (void if had_to_wait else quiet).append({name: cpu for name, (cpu, _) in taken.items()})
    is_quiet = len(quiet) >= ENOUGH * rounds
    used = quiet if is_quiet else quiet + void
    return Rounds(
        seconds={name: [each[name] for each in used] for name in contestants},
        counted=len(used),
        void=len(void),
        is_quiet=is_quiet,
    )


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A median and its 95 % bootstrap interval."""

    figure: float
    low: float
    high: float


def interval(values: list[float], *, resamples: int = 2000, seed: int = 0) -> Interval:
    """The median of `values`, and between which bounds it lies with 95 % confidence."""
    draw = random.Random(seed)
    medians = [median(draw.choices(values, k=len(values))) for _ in range(resamples)]
    cuts = quantiles(medians, n=40)
    return Interval(figure=median(values), low=cuts[0], high=cuts[-1])


def verdict(found: Interval, target: float, *, is_least: bool = False) -> str:
    """Whether "at most `target`" is met, missed, or not told apart by this many rounds.

    With `is_least` it is "at least `target`".
    """
    if is_least:
        found, target = Interval(figure=-found.figure, low=-found.high, high=-found.low), -target
    if found.high <= target:
        return "met"
    return "missed" if found.low > target else "unresolved"


def _shuffled(contestants: dict[str, Contestant], draw: random.Random) -> list[str]:
    names = list(contestants)
    draw.shuffle(names)
    return names


def _timed(contestant: Contestant) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    contestant()
    return time.process_time() - cpu, time.perf_counter() - wall
