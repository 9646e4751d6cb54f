"""The registry's book, `registry.jsonl`: one line for each version and each move of an alias.

It is only ever appended to, and read from an offset: MLflow's registry is a copy of it.
"""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from trainer import events
from trainer.errors import BadState
from trainer.wake import state_folder

FILE = "registry.jsonl"
_KINDS = ("version", "champion")
_PATIENCE_S = 10.0
_threads = threading.Lock()  # a record lock keeps processes apart, not threads


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line: a version that was made, or a version that became champion.

    `run`, `data`, `parent` and `sha256` (of the weights) belong to a version.
    """

    kind: Literal["version", "champion"]
    model: str
    version: int
    t: float
    run: str | None = None
    data: str | None = None
    parent: str | None = None
    sha256: str | None = None


def read(runs: Path, offset: int = 0) -> tuple[list[Entry], int]:
    """Return the entries in whole lines after `offset`, and the offset behind them."""
    try:
        with (runs / FILE).open("rb") as file:
            file.seek(offset)
            chunk = file.read()
    except FileNotFoundError:
        return [], offset
    chunk = chunk[: chunk.rfind(b"\n") + 1]
    parsed = map(_parse, chunk.splitlines())
    return [entry for entry in parsed if entry], offset + len(chunk)


def append(runs: Path, *entries: Entry) -> None:
    """Write entries in one go and wait until they are on disk."""
    lines = b"".join(orjson.dumps(asdict(entry)) + b"\n" for entry in entries)
    events.append(runs / FILE, lines, durable=True)


def size(runs: Path) -> int:
    """Return the length of the book in bytes: it only ever grows."""
    try:
        return (runs / FILE).stat().st_size
    except FileNotFoundError:
        return 0


def champion(entries: list[Entry], model: str) -> int | None:
    """Return the version that the last move of a model's alias names."""
    moves = [entry for entry in entries if entry.kind == "champion" and entry.model == model]
    return moves[-1].version if moves else None


@contextlib.contextmanager
def locked(runs: Path, patience_s: float = _PATIENCE_S) -> Iterator[None]:
    """Hold the registry for one short change; a killed holder lets go by dying.

    Raises:
        BadState: when another process holds it for too long.
    """
    deadline = time.monotonic() + patience_s
    if not _threads.acquire(timeout=patience_s):
        raise BadState(_BUSY)
    # Opened once a change: closing any other descriptor of the file would give the lock away.
    lock = os.open(state_folder(runs) / "registry.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    try:
        _wait(lock, deadline)
        yield
    finally:
        os.close(lock)
        _threads.release()


_BUSY = "Another process is changing the registry. Nothing was changed; try again in a moment."


def _wait(lock: int, deadline: float) -> None:
    while True:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise BadState(_BUSY) from None
            time.sleep(0.01)
        else:
            return


def _parse(line: bytes) -> Entry | None:
    """Return the entry of one line, or None: one bad line never costs the others."""
    try:
        values: dict[str, Any] = orjson.loads(line)
        entry = Entry(**values)
        is_sound = entry.kind in _KINDS and type(entry.version) is int and entry.version > 0
        return entry if is_sound and isinstance(entry.model, str) else None
    except (ValueError, TypeError):
        return None
