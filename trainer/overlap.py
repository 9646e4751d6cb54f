"""When a rank computed and when its gradients travelled: noted by the clock, drawn, and added up.

All times are those of the machine's monotonic clock, which the ranks share. A bucket is a group of
gradients that DDP averages at once; it is ready when the last of them is computed.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Span = tuple[float, float]


@dataclass
class Clock:
    """The notes of one rank about one step."""

    spans: dict[str, Span] = field(default_factory=dict)
    buckets: list[dict[str, Any]] = field(default_factory=list)

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        """Note from when to when a part of the step ran."""
        begun = time.monotonic()
        yield
        self.spans[part] = (begun, time.monotonic())

    def bucket(self, size: int) -> Callable[[], None]:
        """Note that a bucket of `size` bytes is handed over; call what you get when it is back."""
        note: dict[str, Any] = {"bytes": size, "begun": time.monotonic()}
        self.buckets.append(note)

        def back() -> None:
            note["ended"] = time.monotonic()

        return back

    def clear(self) -> None:
        """Begin a new step."""
        self.spans, self.buckets = {}, []

    def as_dict(self) -> dict[str, Any]:
        """The notes as plain values."""
        return {"spans": self.spans, "buckets": self.buckets}


def step_ms(notes: Sequence[dict[str, Any]]) -> float:
    """From the first rank's start to the last one's end."""
    return 1000 * (_end(notes) - _start(notes))


def figures(notes: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The time that a rank's buckets were under way, and how much of it was hidden: means."""
    ways, hidden = (sum(part) / len(notes) for part in zip(*map(travelled_s, notes), strict=True))
    return {"ddp/allreduce_ms": 1000 * ways, "ddp/hidden_ms": 1000 * hidden}


def travelled_s(note: dict[str, Any]) -> tuple[float, float]:
    """How long any bucket of a rank was under way, and how much of it the rank still computed.

    Its backward pass has computed the last gradient when it hands over the last bucket.
    """
    if not note["buckets"]:
        return 0.0, 0.0
    computed = note["buckets"][-1]["begun"]
    ways = [(bucket["begun"], bucket["ended"]) for bucket in note["buckets"]]
    return _covered(ways), _covered([(begun, min(ended, computed)) for begun, ended in ways])


def picture(notes: Sequence[dict[str, Any]], step: int) -> dict[str, Any]:
    """One step as lanes of bars, two a rank, in ms since the first rank began, and its shares."""
    zero = _start(notes)
    lanes = []
    for rank, note in enumerate(notes):
        lanes.append({"name": f"rank {rank}", "bars": _bars(_computing(note), zero)})
        ways = [("all-reduce", (one["begun"], one["ended"])) for one in note["buckets"]]
        lanes.append({"name": f"rank {rank} sends", "bars": _bars(ways, zero)})
    ways_s, hidden_s = map(sum, zip(*map(travelled_s, notes), strict=True))
    share = hidden_s / ways_s if ways_s else None
    sizes = [bucket["bytes"] for bucket in notes[0]["buckets"]]
    return {"step": step, "lanes": lanes, "hidden_share": share, "bucket_bytes": sizes}


def _computing(note: dict[str, Any]) -> list[tuple[str, Span]]:
    """A rank's parts; the end of its backward pass, where it only waits, is a part of its own."""
    parts: list[tuple[str, Span]] = []
    for name, (begun, ended) in note["spans"].items():
        if name == "backward" and note["buckets"]:
            computed = note["buckets"][-1]["begun"]
            parts += [(name, (begun, computed)), ("wait", (computed, ended))]
        else:
            parts.append((name, (begun, ended)))
    return parts


def _bars(parts: Sequence[tuple[str, Span]], zero: float) -> list[list[Any]]:
    return [
        [name, round(1000 * (begun - zero), 3), round(1000 * (ended - zero), 3)]
        for name, (begun, ended) in parts
    ]


def _covered(spans: Sequence[Span]) -> float:
    """The time that at least one of the spans covers."""
    total, until = 0.0, float("-inf")
    for begun, ended in sorted(spans):
        total += max(0.0, ended - max(begun, until))
        until = max(until, ended)
    return total


def _start(notes: Sequence[dict[str, Any]]) -> float:
    return float(min(begun for note in notes for begun, _ in note["spans"].values()))


def _end(notes: Sequence[dict[str, Any]]) -> float:
    return float(max(ended for note in notes for _, ended in note["spans"].values()))
