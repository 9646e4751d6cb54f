"""What a run's events add up to: folded line by line, so a page never reads a long file twice."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from trainer import events
from trainer.events import Event

_KEPT = 2_000  # records in memory; one is about 2 kB


@dataclass
class Record:
    """The state that the events so far leave behind; `life` is the last event of the run's life."""

    offset: int = 0
    life: Event | None = None
    queued_at: float | None = None
    started_at: float | None = None
    step: int = 0
    seconds: float = 0.0
    metrics: dict[str, float] = field(default_factory=dict)
    samples: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)  # of samples that were not measured
    finding: dict[str, Any] | None = None
    device: str | None = None

    def take(self, event: Event) -> None:
        """Add one event."""
        match event.kind:
            case "metrics":
                self.metrics.update(event.values)
                self.step, self.seconds = event.step, event.seconds
            case "sample":
                name = str(event.values.get("name"))
                self.samples[name] = event.values.get("value")
                self.origins[name] = event.origin
            case "finding":
                self.finding = event.values
            case "queued" | "started" | "resumed" | "ended":
                self._live(event)

    def _live(self, event: Event) -> None:
        self.life = event
        if event.kind == "queued":
            self.queued_at = event.t
        elif event.kind in ("started", "resumed"):
            self.started_at = self.started_at or event.t
            self.device = event.values.get("device", self.device)
            self.samples.pop("paused", None)
            self.step = int(event.values.get("from_step", 0))
            self.seconds = event.seconds


_records: dict[Path, Record] = {}
_lock = Lock()


def of(folder: Path) -> Record:
    """Return the record of a run folder, brought up to date by reading only what is new."""
    path = folder / events.FILE
    with _lock:
        record = _records.pop(folder, None)
        size = _size(path)
        if record is None or record.offset > size:
            record = Record()
        if record.offset < size:
            fresh, record.offset = events.read(path, record.offset)
            for event in fresh:
                record.take(event)
        _records[folder] = record  # last in the order: the oldest leaves first
        while len(_records) > _KEPT:
            del _records[next(iter(_records))]
        return record


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
