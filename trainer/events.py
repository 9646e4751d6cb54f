"""The event file of a run: one JSON object a line, appended by one, read from an offset by many."""

import math
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

Kind = Literal[
    "queued", "started", "resumed", "metrics", "sample", "finding", "checkpoint", "ended"
]
LIFE: frozenset[str] = frozenset({"queued", "started", "resumed", "ended"})
KINDS = LIFE | {"metrics", "sample", "finding", "checkpoint"}
FILE = "events.jsonl"
_NEEDED = {"ended": ("status",), "finding": ("name", "value", "text")}
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@dataclass(frozen=True, kw_only=True)
class Event:
    """One thing that happened: `step` counts over the whole run, `seconds` is its running time.

    `t` is Unix time; `origin` is M, R, C, D or S and says where the values come from.
    """

    kind: Kind
    t: float
    step: int = 0
    seconds: float = 0.0
    values: dict[str, Any] = field(default_factory=dict)
    origin: str = "M"

    def line(self) -> bytes:
        """Return the event as one line of strict JSON; NaN and infinities become words."""
        body = {
            "kind": self.kind,
            "step": self.step,
            "seconds": round(self.seconds, 4),
            "t": round(self.t, 4),
            "values": _strict(self.values),
            "origin": self.origin,
        }
        return orjson.dumps(body) + b"\n"


def _strict(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(name): _strict(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(inner) for inner in value]
    return value


def parse(line: bytes) -> Event | None:
    """Return the event of one line, or None: one bad line never costs the others."""
    try:
        body = orjson.loads(line)
        kind, values = body["kind"], body["values"]
        if kind not in KINDS or not isinstance(values, dict):
            return None
        if any(name not in values for name in _NEEDED.get(kind, ())):
            return None
        if kind == "metrics":
            values = {name: _WORDS.get(value, value) for name, value in values.items()}
        return Event(
            kind=kind,
            step=int(body["step"]),
            seconds=float(body["seconds"]),
            t=float(body["t"]),
            values=values,
            origin=body["origin"],
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def read(path: Path, offset: int = 0, limit: int = -1) -> tuple[list[Event], int]:
    """Return the events that stand in whole lines after `offset`, and the offset behind them.

    A half-written last line waits for the next call; a missing file is an empty one.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
            chunk = file.read(limit)
    except FileNotFoundError:
        return [], offset
    chunk = chunk[: chunk.rfind(b"\n") + 1]
    parsed = (parse(line) for line in chunk.splitlines())
    return [event for event in parsed if event], offset + len(chunk)


def current(events: Iterable[Event]) -> list[Event]:
    """Return the events that still stand: a `resumed` takes back the earlier events of later steps.

    Life events stay, so the history of a run can always be told.
    """
    standing: list[Event] = []
    for event in events:
        if event.kind == "resumed":
            from_step = int(event.values.get("from_step", 0))
            standing = [kept for kept in standing if kept.kind in LIFE or kept.step <= from_step]
        standing.append(event)
    return standing


def queue(folder: Path, reason: str, *, step: int = 0, seconds: float = 0.0) -> None:
    """Append `queued` to a run: whoever calls this knows that no worker lives."""
    values = {"reason": reason}
    event = Event(kind="queued", t=time.time(), step=step, seconds=seconds, values=values)
    append(folder / FILE, event.line(), durable=True)


def append(path: Path, lines: bytes, *, durable: bool = False) -> None:
    """Append whole lines in one `write(2)`; `durable` also waits for the disk.

    A killed writer may leave half a line: the next writer starts on a fresh one.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        end = os.fstat(descriptor).st_size
        if end and os.pread(descriptor, 1, end - 1) != b"\n":
            lines = b"\n" + lines
        write_all(descriptor, lines)
        if durable:
            os.fsync(descriptor)
            sync_folder(path.parent)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, in more than one call where the kernel takes less."""
    while data:
        data = data[os.write(descriptor, data) :]


def sync_folder(folder: Path) -> None:
    """Wait until a folder's names are on disk: a file is only safe once its name is."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace(path: Path, data: bytes) -> None:
    """Put a small file in place in one piece: a reader sees the old one or the new one."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
