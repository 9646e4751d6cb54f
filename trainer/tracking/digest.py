"""Turns a stretch of a run's events into one MLflow batch: thinned, and each step once.

What is kept depends only on the events from the first on, never on where a batch began. So a batch
that was written twice, or a store that is rebuilt, holds the same rows.
"""

import json
import math
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from trainer.events import Event
from trainer.runs import RunStatus
from trainer.tracking.rows import Point, small

POINTS_A_SECOND = 50
_REFUSED = re.compile(r"[^\w.\-/: ]")  # characters that MLflow takes in no name
_LIFE = {"queued": RunStatus.SCHEDULED, "started": RunStatus.RUNNING, "resumed": RunStatus.RUNNING}


@dataclass
class Mark:
    """How far one metric has come; `held` is the newest point that thinning has left out so far."""

    step: int
    bucket: int
    origin: str
    held: list[float] | None = None


@dataclass
class Progress:
    """What the recorder must remember of a run; `offset` is the first byte it has not recorded."""

    mlflow_run_id: str = ""
    offset: int = 0
    started: float | None = None
    samples: dict[str, Any] = field(default_factory=dict)
    marks: dict[str, Mark] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Return the content of `mlflow.json`."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Build from what `to_json` gave; ValueError, KeyError or TypeError for anything else."""
        values = json.loads(data)
        marks = {name: Mark(**mark) for name, mark in values.pop("marks").items()}
        return cls(**values, marks=marks)


@dataclass
class Batch:
    """What goes into MLflow in one go."""

    points: list[Point] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    has_started: bool = False
    settings: dict[str, Any] | None = None
    status: RunStatus | None = None
    ended_at: float | None = None


def take(events: Iterable[Event], progress: Progress) -> Batch:
    """Return what `events` add, and bring `progress.marks` up to date."""
    batch = Batch()
    for event in events:
        match event.kind:
            case "metrics":
                batch.points += _points(event, progress.marks, batch.tags)
                batch.tags["stagecoach.step"] = str(event.step)
                batch.tags["stagecoach.seconds"] = str(event.seconds)
            case "sample":
                name, value = str(event.values.get("name")), event.values.get("value")
                progress.samples |= small({name: value})
                batch.tags["stagecoach.samples"] = json.dumps(small(progress.samples))
                if name in ("plan", "data"):
                    batch.tags[f"stagecoach.{name}"] = _text(value)
            case "finding":
                batch.tags["stagecoach.finding"] = json.dumps(event.values)
                batch.tags["mlflow.note.content"] = str(event.values.get("text", ""))
            case "queued" | "started" | "resumed" | "ended":
                _live(event, batch, progress)
    return batch


def _points(event: Event, marks: dict[str, Mark], tags: dict[str, str]) -> Iterator[Point]:
    for raw, value in event.values.items():
        name = metric_name(raw)
        if not isinstance(value, (int, float)) or not name:
            continue
        mark = marks.setdefault(name, Mark(-1, -1, event.origin))
        # A step that a resumed run computed again stands there already, bit-equal on the CPU; and a
        # series keeps the origin of its first point.
        if event.step <= mark.step or event.origin != mark.origin:
            continue
        mark.step = event.step
        if math.isinf(value):
            tags[f"stagecoach.infinite.{name}"] = f"{value} at step {event.step}"
            continue
        if event.origin != "M":
            tags["stagecoach.origins"] = _origins(marks)
        yield from _thin(Point(name, event.step, float(value), event.seconds, event.t), mark)


def _thin(point: Point, mark: Mark) -> Iterator[Point]:
    """Let the first point of each fiftieth of a second pass; hold the newest of the others."""
    bucket = math.floor(point.t * POINTS_A_SECOND)
    if bucket == mark.bucket:
        mark.held = [point.step, point.value, point.seconds, point.t]
        return
    mark.bucket, mark.held = bucket, None
    yield point


def _live(event: Event, batch: Batch, progress: Progress) -> None:
    values, tags = event.values, batch.tags
    batch.status = _LIFE.get(event.kind) or RunStatus(values["status"])
    batch.ended_at = event.t if event.kind == "ended" else None
    tags["stagecoach.reason"] = str(values.get("reason") or "")
    match event.kind:
        case "started" | "resumed":
            if progress.started is None:
                progress.started, batch.has_started = event.t, True
                batch.settings = values.get("settings")
            tags["stagecoach.started"] = str(progress.started)
            for name in ("device", "device_name", "versions", "from_step"):
                if values.get(name) is not None:
                    tags[f"stagecoach.{name}"] = _text(values[name])
        case "ended":
            batch.points += _release(progress.marks)
            tags["stagecoach.error"] = str(values.get("error") or "")
            tags["stagecoach.surprise"] = json.dumps(values.get("surprise"))


def _release(marks: dict[str, Mark]) -> Iterator[Point]:
    """A run that has ended shows its true last values, thinned out or not."""
    for name, mark in marks.items():
        if mark.held:
            step, value, seconds, t = mark.held
            yield Point(name, int(step), value, seconds, t)
            mark.held = None


def metric_name(raw: str) -> str:
    """Return the name under which MLflow keeps a metric: its own, unless MLflow would refuse it."""
    name = posixpath.normpath("/" + _REFUSED.sub("_", raw)).lstrip("/")
    return name[:250]


def _origins(marks: dict[str, Mark]) -> str:
    return json.dumps({name: mark.origin for name, mark in marks.items() if mark.origin != "M"})


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
