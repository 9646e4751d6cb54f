"""From a sheet and the roles of its columns to a data set that labs load; and its end.

`runs/data/<hash>/` holds card, rows and labels, made aside and renamed into place, read-only. The
hash covers bytes, roles and learner, so each learner's data set is their own to delete.
"""

import hashlib
import json
import shutil
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from trainer.datasets import store
from trainer.errors import BadState
from trainer.owndata import checks, columns, desk
from trainer.owndata.columns import Column
from trainer.owndata.reading import Sheet
from trainer.owndata.roles import Roles

ORIGIN = "own"
_VERSION = "1"
_ABOUT = "Brought by the learner {owner} as the file {file}. How good a model can be is not known."


@dataclass(frozen=True, kw_only=True)
class Source:
    """Whose file it is, and what it was called."""

    learner: str
    file: str


def make(runs: Path, sheet: Sheet, kinds: Sequence[Column], roles: Roles, source: Source) -> Path:
    """Return the folder of the data set; made if it is not there yet.

    Raises:
        BadFile: no lab could learn from it; nothing was made.
    """
    found = checks.look(sheet, kinds, roles)
    rows = checks.labelled(sheet, roles)
    read = [sheet[name] for name in roles.read]
    lines = [[columns.clean(cells[row]) for cells in read] for row in rows]
    causes = tuple(sorted(found.classes))
    table = _table(sheet, kinds, roles, rows, causes)
    by_name = {column.name: column for column in kinds}
    told = [asdict(by_name[name]) for name in roles.columns]
    card = {
        "title": source.file,
        "origin": ORIGIN,
        "owner": source.learner,
        "about": _ABOUT.format(owner=source.learner, file=source.file),
        "roles": asdict(roles),
        "causes": list(causes),
        "devices": [{"name": name} for name in _group_names(sheet, roles, rows)],
        "columns": [{n: one[n] for n in ("name", "kind", "has_commas")} for one in told],
        "splits": desk.splits(table[:, 1], table[:, 2]),
        "counts": {"tickets": len(rows), "devices": checks.groups_of(sheet, roles)},
        "classes": found.classes,
        "dials": {},
        "ceilings": [],
        "generator_version": "",
    }
    return _put(runs / "data", card, lines, table)


def owned(runs: Path, learner: str) -> list[dict[str, Any]]:
    """The cards of a learner's data sets with their `id`, the newest first."""
    found = [(path, card_of(path.parent)) for path in (runs / "data").glob("[!.]*/card.json")]
    mine = [
        (path.stat().st_mtime, card | {"id": path.parent.name})
        for path, card in found
        if card is not None and card.get("owner") == learner
    ]
    return [card for _, card in sorted(mine, key=lambda one: one[0], reverse=True)]


def card_of(folder: Path) -> dict[str, Any] | None:
    """The card of a data set that somebody brought; None for any other folder."""
    try:
        card = json.loads((folder / desk.CARD).read_bytes())
    except (OSError, ValueError):
        return None
    return card if isinstance(card, dict) and card.get("origin") == ORIGIN else None


def delete(runs: Path, digest: str, learner: str) -> None:
    """Remove a learner's own data set.

    Raises:
        BadState: it is not there, or it is somebody else's.
    """
    if digest not in [card["id"] for card in owned(runs, learner)]:
        raise BadState(f"The learner {learner} has no data set {digest[:40]}. Nothing was changed.")
    gone = runs / "data" / f".making-{uuid.uuid4().hex}"  # swept by the next maker, if we die here
    (runs / "data" / digest).rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _table(
    sheet: Sheet, kinds: Sequence[Column], roles: Roles, rows: Sequence[int], causes: Sequence[str]
) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """(N, 3) class, group and place in time of each row."""
    labels = [causes.index(sheet[roles.label][row]) for row in rows]
    groups = [sheet[roles.group][row] if roles.group else "" for row in rows]
    times = [""] * len(rows)
    if roles.time:
        kind = next(column.kind for column in kinds if column.name == roles.time)
        found = [columns.date(sheet[roles.time][row], kind) for row in rows]
        times = ["" if one is None else one.isoformat() for one in found]  # unknown comes first
    return np.stack([np.array(labels), _numbered(groups), _numbered(times)], axis=1)


def _group_names(sheet: Sheet, roles: Roles, rows: Sequence[int]) -> list[str]:
    """The names of the groups in the order of their numbers; none where they are too many."""
    if not roles.group:
        return []
    names = sorted({sheet[roles.group][row] for row in rows})
    return names if desk.FEWEST_GROUPS <= len(names) <= desk.MOST_GROUPS else []


def _numbered(values: Sequence[str]) -> Any:
    return np.unique(np.array(values), return_inverse=True)[1].astype(np.int64)


def _put(data: Path, card: dict[str, Any], lines: list[list[str]], table: Any) -> Path:
    rows = b"".join(orjson.dumps(line) + b"\n" for line in lines)
    content = hashlib.sha256(rows + table.tobytes()).hexdigest()
    known = {name: card[name] for name in ("owner", "title", "roles", "causes", "columns")}
    named = json.dumps([_VERSION, content, known], sort_keys=True)
    folder = data / hashlib.sha256(named.encode()).hexdigest()[:16]
    if folder.is_dir():
        return folder

    def write(making: Path) -> None:
        (making / desk.ROWS).write_bytes(rows)
        np.save(making / desk.TABLE, table, allow_pickle=False)
        made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        text = json.dumps(card | {"content": content, "made": made}, indent=1)
        (making / desk.CARD).write_text(text + "\n", "utf-8")

    return store.place(folder, write)
