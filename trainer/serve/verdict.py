"""What came of a run that served while it trained: the knee, the question, and none lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from trainer.serve import loads, told
from trainer.serve.made import Shelf

ASKED = -2  # the load that the question is about: 90 % of the capacity
TIMES = {"two": 3.0, "five": 7.0, "ten": 15.0}  # p99 over an idle p50, up to; above it is "more"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The loads of a run, what became of the requests beside its training, and whose they were.

    The first two loads tell what one caller and what many callers get; the others are points.
    """

    loads: Sequence[Mapping[str, Any]]
    tally: Mapping[str, int]
    origin: str
    versions: tuple[int, int]

    @classmethod
    def of(cls, found: Mapping[str, Any], shelf: Shelf) -> Self:
        """Build from an arm's result and the shelf it served from."""
        versions = (shelf.number, shelf.next_number)
        return cls(**found, origin=shelf.origin, versions=versions)

    @property
    def capacity(self) -> float:
        """Answers a second when many callers ask at once."""
        return loads.capacity(self.loads)

    def samples(self) -> dict[str, Any]:
        """What predictions and targets ask for; a load whose generator was late answers nothing."""
        points = self.loads[2:]
        asked = points[ASKED]
        found: dict[str, Any] = {"mean_rows": asked["mean_rows"]}
        if not asked["is_late"]:
            times = asked["p99_ms"] / self.loads[0]["p50_ms"]  # a lone caller's median
            found["p99_times"] = next((n for n, most in TIMES.items() if times < most), "more")
        return found

    def finding(self) -> tuple[float, str]:
        """The knee, or the fastest point where there is none, and the sentences about it."""
        points = self.loads[2:]
        sound, found = told.sound(points), told.knee(points)
        most = max(rate for rate, _ in sound) if sound else self.capacity
        return found or most, f"{self._knee(sound, found)} {self._swap()} {self._whose()}".strip()

    def _knee(self, sound: Sequence[tuple[float, float]], found: float | None) -> str:
        if not sound:
            return "The load generator was late at every load, so no knee can be told."
        least, most = sound[0][1], sound[-1][0]
        bound = f"{told.KNEE:.0f} times the {least:.1f} ms of the lightest load"
        if found is None:
            return f"Up to {most:,.0f} answers a second p95 never passed {bound}."
        where = f"{found:,.0f} answers a second, {found / self.capacity:.0%} of the capacity"
        return f"Beyond {where}, p95 was more than {bound}."

    def _swap(self) -> str:
        before, after = self.versions
        sent, answered = self.tally["sent"], self.tally.get("answered", 0)
        return (
            f"While version {after} was trained and took over from version {before}, {sent:,} "
            f"requests were sent and {answered:,} were answered."
        )

    def _whose(self) -> str:
        if self.origin != "first":
            return ""
        return "There was no champion, so this run trained and served a first version of its own."
