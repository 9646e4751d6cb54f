"""Data sets on disk: made once, renamed into place, read-only.

What a model may read, what only the repair tells and the answers lie in separate files.
"""

import hashlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.datasets.card import card
from trainer.datasets.dials import Dials
from trainer.datasets.generator import table, tickets

Ints = NDArray[np.int64]
_STALE_S = 3600
_COLUMNS = ("device", "month", "second", "gap_s", "recorded")


@dataclass(frozen=True)
class Desk:
    """The tickets as a model may see them: no answer, no field known only after the repair.

    Attributes:
        folder: where the data set lies.
        card: the data card (see `card.py`).
        causes: class names; labels are places in it.
        alarm_names: names of the columns of `alarms`.
        alarms: (N, A) of 0 and 1.
        device, month, second, gap_s: (N,) device number, month 0 to 23, second of the day, seconds
            between the first two alarms.
        recorded: (N,) the cause an engineer typed, wrong in some rows.
        origin: (N,) the word "synthetic" in every row.
    """

    folder: Path
    card: dict[str, Any]
    causes: tuple[str, ...]
    alarm_names: tuple[str, ...]
    alarms: NDArray[np.uint8]
    device: Ints
    month: Ints
    second: Ints
    gap_s: Ints
    recorded: Ints
    origin: NDArray[np.str_]

    def __len__(self) -> int:
        """Number of tickets."""
        return len(self.recorded)

    @cached_property
    def tickets(self) -> tuple[dict[str, Any], ...]:
        """The tickets as they were opened, one dict a row."""
        return tuple(_read_lines(self.folder / "tickets.jsonl"))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each row."""
        return tuple(ticket["text"] for ticket in self.tickets)


@dataclass(frozen=True)
class Answers:
    """What truly was the case; for scoring and for lessons, never for training.

    Attributes:
        true: (N,) the true cause.
        family: (N,) number of the incident; tickets of one incident share it, copies too.
        duplicate_of: (N,) the row that this one copies, -1 where it is none.
        rows: the answer table itself: spans of evidence, hedges and personal data in the text,
            wording and so on.
    """

    true: Ints
    family: Ints
    duplicate_of: Ints
    rows: tuple[dict[str, Any], ...]


def prepare(runs: Path, dials: Dials) -> Path:
    """The folder `runs/data/<hash>` with the data set of these dials, made if it is not there yet.

    Several processes may call this at once: each makes its own copy aside and the first to rename
    it wins.

    Raises:
        OSError: the runs folder cannot be written to.
    """
    folder = Path(runs) / "data" / dials.digest()
    return folder if folder.is_dir() else place(folder, lambda making: _write(making, dials))


def place(folder: Path, write: Callable[[Path], None]) -> Path:
    """Have a data set written aside, then rename it into place, read-only; returns the folder."""
    data = folder.parent
    data.mkdir(parents=True, exist_ok=True)
    _sweep(data)
    making = data / f".making-{uuid.uuid4().hex}"
    making.mkdir()
    try:
        write(making)
        for path in making.iterdir():
            _sync(path)
            path.chmod(0o444)
        _sync(making)
        _rename(making, folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return folder


def load(folder: Path) -> Desk:
    """The tickets of a prepared folder, without answers and without fields of the close.

    Raises:
        ValueError: the folder holds no data set of ours.
    """
    described = _card(folder)
    columns = np.load(folder / "columns.npy", allow_pickle=False).astype(np.int64)
    fields = {name: columns[:, place] for place, name in enumerate(_COLUMNS)}
    return Desk(
        folder=folder,
        card=described,
        causes=tuple(described["causes"]),
        alarm_names=tuple(described["alarms"]),
        alarms=np.load(folder / "alarms.npy", allow_pickle=False),
        origin=np.full(len(columns), "synthetic"),
        **fields,
    )


def answers(folder: Path) -> Answers:
    """The answer table of a prepared folder."""
    names = _card(folder)["causes"]
    rows = tuple(_read_lines(folder / "answers.jsonl"))
    places = {row["ticket_id"]: place for place, row in enumerate(rows)} | {"": -1}
    return Answers(
        true=np.array([names.index(row["cause_true"]) for row in rows], dtype=np.int64),
        family=np.array([int(row["family_id"][1:]) for row in rows], dtype=np.int64),
        duplicate_of=np.array([places[row["duplicate_of"]] for row in rows], dtype=np.int64),
        rows=rows,
    )


def closed(folder: Path) -> tuple[dict[str, Any], ...]:
    """The leak fields: close note, team, repair time and what else only the repair tells."""
    return tuple(_read_lines(folder / "closed.jsonl"))


def _card(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / "card.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{folder} holds no data set of the Alarm Desk; call prepare() first"
        raise ValueError(msg) from error
    return found


def _read_lines(path: Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _write(folder: Path, dials: Dials) -> None:
    made = tickets(dials)
    _write_lines(folder / "tickets.jsonl", (ticket.opened for ticket in made))
    _write_lines(folder / "closed.jsonl", (ticket.closed for ticket in made))
    _write_lines(folder / "answers.jsonl", (ticket.answer for ticket in made))
    for name, array in table(made).items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    described = card(dials, made) | {"dials": asdict(dials), "content": _content(folder)}
    (folder / "card.json").write_text(json.dumps(described, indent=1) + "\n", "utf-8")


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _content(folder: Path) -> str:
    """One hash over the bytes of all files, so that two machines can compare what they made."""
    content = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        content.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return content.hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename(making: Path, folder: Path) -> None:
    try:
        making.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
        return  # someone else was first, with the same bytes
    _sync(folder.parent)


def _sweep(data: Path) -> None:
    """Removes what a maker that was killed has left behind."""
    for left in data.glob(".making-*"):
        try:
            is_stale = time.time() - left.stat().st_mtime > _STALE_S
        except FileNotFoundError:
            continue
        if is_stale:
            shutil.rmtree(left, ignore_errors=True)
