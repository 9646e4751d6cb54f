"""Puts versions in place and moves the champion; a kill at any step leaves nothing half.

The book comes first: what it says is brought about again by whoever looks next, see `settle`.
"""

import contextlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trainer import events
from trainer.errors import BadSetting
from trainer.registry import book
from trainer.registry.book import Entry
from trainer.registry.version import (
    CARD,
    CHAMPION,
    WEIGHTS,
    Version,
    champion_number,
    folder_of,
    model_name,
    models,
    numbers,
    of_model,
)

_MAKING = ".making-"
_STALE_S = 900.0  # a promoter ends itself long before


@contextlib.contextmanager
def making(runs: Path, model: str) -> Iterator[Path]:
    """Give a folder aside to make a version in; it is gone afterwards, unless `place` moved it."""
    folder = folder_of(runs, model)
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder / f"{_MAKING}{uuid.uuid4().hex}"
    aside.mkdir()
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def same(runs: Path, model: str, run: str, sha256: str) -> Version | None:
    """Return the version that was made of the very weights of a run, if there is one."""
    for each in of_model(runs, model):
        if each.run == run and each.card["files"].get(WEIGHTS) == sha256:
            return each
    return None


def place(runs: Path, model: str, aside: Path, card: dict[str, Any]) -> int:
    """Turn what was made aside into the next version and make it champion in the book.

    Returns the version's number: an earlier one, where another promoter of the run was faster.
    """
    with book.locked(runs):
        _sweep(runs, model)
        twin = same(runs, model, card["run"], card["files"][WEIGHTS])
        number = twin.number if twin else _put(runs, model, aside, card)
        _say(runs, model, number)
        return number


def choose(runs: Path, model: str, number: int) -> None:
    """Write into the book that a version becomes champion.

    Raises:
        BadSetting: when there is no such version.
    """
    with book.locked(runs):
        known = [each.number for each in of_model(runs, model)]
        if number not in known:
            told = ", ".join(map(str, sorted(known))) or "none yet"
            raise BadSetting(f"{model} has no version {number}; it has: {told}.")
        _say(runs, model, number)


def settle(runs: Path, patience_s: float = 10.0) -> None:
    """Bring the `champion` files in line with the book, and the book with the versions there are.

    Raises:
        BadState: when another process is changing the registry for longer than that.
    """
    with book.locked(runs, patience_s):
        for model in models(runs):
            _sweep(runs, model)
            _note_unwritten(runs, model)
            _crown(runs, model)


def next_number(runs: Path, model: str) -> int:
    """Return the number of the next version: no number is ever used again."""
    written = [entry.version for entry in book.read(runs)[0] if entry.model == model]
    return max([0, *written, *numbers(folder_of(runs, model))]) + 1


def get(runs: Path, learner: str, number: int) -> Version:
    """Return a version that is known to be there."""
    found = of_model(runs, model_name(learner))
    return next(each for each in found if each.number == number)


def _put(runs: Path, model: str, aside: Path, card: dict[str, Any]) -> int:
    """Write the card, make all read-only and durable, and rename the whole into place."""
    folder, number = folder_of(runs, model), next_number(runs, model)
    date = datetime.now(UTC).isoformat(timespec="seconds")
    head = {"model": model, "version": number, "date": date}
    (aside / CARD).write_text(json.dumps(head | card, indent=1) + "\n", encoding="utf-8")
    for path in aside.iterdir():
        _sync(path)
        path.chmod(0o444)
    events.sync_folder(aside)
    aside.rename(folder / str(number))
    events.sync_folder(folder)
    return number


def _say(runs: Path, model: str, number: int) -> None:
    _note_unwritten(runs, model)
    book.append(runs, Entry(kind="champion", model=model, version=number, t=time.time()))


def _note_unwritten(runs: Path, model: str) -> None:
    """Write down the versions that the book lacks: a promoter may die right after its rename."""
    entries = book.read(runs)[0]
    known = {e.version for e in entries if e.kind == "version" and e.model == model}
    missing = [each for each in of_model(runs, model) if each.number not in known]
    if missing:
        book.append(runs, *(_entry(each) for each in reversed(missing)))


def _entry(version: Version) -> Entry:
    card = version.card
    return Entry(
        kind="version",
        model=version.model,
        version=version.number,
        t=datetime.fromisoformat(card["date"]).timestamp(),
        run=version.run,
        data=card["data"]["id"],
        parent=card["parent"],
        sha256=card["files"][WEIGHTS],
    )


def _crown(runs: Path, model: str) -> None:
    folder = folder_of(runs, model)
    number = book.champion(book.read(runs)[0], model)
    is_there = number is not None and (folder / str(number) / CARD).is_file()
    if is_there and champion_number(folder) != number:
        events.replace(folder / CHAMPION, f"{number}\n".encode())
        events.sync_folder(folder)


def _sweep(runs: Path, model: str) -> None:
    """Remove what a killed promoter has left aside."""
    folder = folder_of(runs, model)
    for left in [*folder.glob(f"{_MAKING}*"), *folder.glob(f".{CHAMPION}.*")]:
        with contextlib.suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime < _STALE_S:
                continue
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
