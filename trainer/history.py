"""What charts need of one run's events, in bounded memory: lines, plan, samples, finding, life."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from trainer.events import Event, parse

Point = tuple[int, float, float]  # step, value, seconds of running time
NEWCOMER_POINTS = 1_000  # a line for one who opens the page: about two points a pixel
_KEPT_POINTS = 4_000  # then halved, lows and highs kept
_TICK_POINTS = 16  # a line and tick: one epoch each, where an arm is trained in a second
_MAX_LINES, _MAX_SAMPLES = 64, 64
WORDS = {"FINISHED": "finished", "FAILED": "failed", "KILLED": "stopped"}


def thin(points: Sequence[Point], keep: int) -> list[Point]:
    """Return about `keep` points in order.

    First and last stay, and of each bucket between them the low, the high and the first NaN.
    """
    size = -(-len(points) * 2 // keep)
    if size < 3:
        return list(points)
    kept = {points[0], points[-1]}
    for start in range(0, len(points), size):
        kept.update(_corners(points[start : start + size]))
    return sorted(kept, key=lambda point: point[0])


def _corners(bucket: Sequence[Point]) -> list[Point]:
    finite = [point for point in bucket if math.isfinite(point[1])]
    lost = [point for point in bucket if not math.isfinite(point[1])][:1]
    if not finite:
        return lost
    return [min(finite, key=lambda p: p[1]), max(finite, key=lambda p: p[1]), *lost]


def wire(points: Sequence[Point]) -> list[list[float | str]]:
    """Return the points for strict JSON, seven digits each; NaN and infinities become words."""
    return [
        [step, float(f"{value:.7g}") if math.isfinite(value) else str(value), seconds]
        for step, value, seconds in points
    ]


@dataclass
class Fresh:
    """What one read brought; `is_rewound` says that earlier points were taken back."""

    lines: dict[str, list[Point]] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)  # of "plan", "samples", "finding"
    is_rewound: bool = False

    def series(self) -> dict[str, list[list[float | str]]]:
        """Return the new points, thinned to what one tick may carry."""
        return {name: wire(thin(points, _TICK_POINTS)) for name, points in self.lines.items()}


@dataclass
class History:
    """The sum of all events taken so far."""

    lines: dict[str, list[Point]] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, tuple[int, Any]] = field(default_factory=dict)
    finding: dict[str, Any] | None = None
    word: str = "queued"
    reason: str = ""
    device: str = ""
    step: int = 0
    seconds: float = 0.0
    t: float = 0.0
    lives: int = 0
    malformed: int = 0

    def take(self, chunk: bytes) -> Fresh:
        """Add whole lines; one that is no event is counted and costs nothing else."""
        fresh = Fresh()
        for line in chunk.splitlines():
            event = parse(line)
            try:
                if event is None:
                    raise ValueError("no event")
                self._add(event, fresh)
            except (ValueError, TypeError):
                self.malformed += 1
        for points in self.lines.values():
            if len(points) > _KEPT_POINTS:
                points[:] = thin(points, _KEPT_POINTS // 2)
        return fresh

    def series(self) -> dict[str, list[list[float | str]]]:
        """Return every line, thinned to what a newcomer needs."""
        return {name: wire(thin(points, NEWCOMER_POINTS)) for name, points in self.lines.items()}

    def _add(self, event: Event, fresh: Fresh) -> None:
        self.t = event.t
        match event.kind:
            case "metrics":
                self._measure(event, fresh)
            case "sample":
                self._sample(event, fresh)
            case "finding":
                self.finding = {**event.values, "step": event.step}
                fresh.parts.add("finding")
            case "resumed":
                self._rewind(int(event.values.get("from_step", 0)), fresh)
                self._live("starting", event)
            case "queued":
                self._live("queued", event)
            case "started":
                self._live("starting", event)
            case "ended":
                self._live(WORDS.get(str(event.values.get("status")), "failed"), event)
            case _:
                pass

    def _live(self, word: str, event: Event) -> None:
        self.word = word
        self.lives += 1
        self.reason = str(event.values.get("error") or event.values.get("reason") or "")
        self.device = str(event.values.get("device") or self.device)

    def _measure(self, event: Event, fresh: Fresh) -> None:
        self.step, self.seconds = event.step, event.seconds
        if self.word == "starting":
            self.word = "running"
        for name, value in event.values.items():
            if isinstance(value, (int, float)) and self._has_room(name):
                point = (event.step, float(value), event.seconds)
                self.lines.setdefault(name, []).append(point)
                fresh.lines.setdefault(name, []).append(point)

    def _has_room(self, name: str) -> bool:
        return name in self.lines or len(self.lines) < _MAX_LINES

    def _sample(self, event: Event, fresh: Fresh) -> None:
        name, value = str(event.values.get("name")), event.values.get("value")
        if name == "plan" and isinstance(value, dict):
            self.plan = value
            fresh.parts.add("plan")
        elif name == "paused":
            if self.word in ("starting", "running", "paused"):
                self.word = "paused" if value else "running"
        elif name in self.samples or len(self.samples) < _MAX_SAMPLES:
            self.samples[name] = (event.step, value)
            fresh.parts.add("samples")

    def _rewind(self, step: int, fresh: Fresh) -> None:
        for name, points in list(self.lines.items()):
            self.lines[name] = [point for point in points if point[0] <= step]
        self.samples = {name: kept for name, kept in self.samples.items() if kept[0] <= step}
        if self.finding and self.finding["step"] > step:
            self.finding = None
        self.step = step
        fresh.lines.clear()
        fresh.is_rewound = True
