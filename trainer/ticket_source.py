"""Finds the data set of a hash in `runs/data`, and makes it again where it was cleared away."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainer.datasets.dials import Dials
from trainer.datasets.store import prepare
from trainer.errors import BadSetting
from trainer.runs import newest_first


def folder(runs: Path, digest: str, dials: dict[str, Any] | None = None) -> Path:
    """The folder of the data set with that hash; made again where its dials are known.

    `dials` are the ones somebody remembers. Else the usual ones and those that runs wrote down are
    tried; only what gives the very same hash counts.

    Raises:
        BadSetting: the data set is gone and nobody knows its dials.
    """
    place = runs / "data" / digest
    if (place / "card.json").is_file():
        return place
    for values in _candidates(runs, digest, dials):
        try:
            found = Dials(**values)
        except (TypeError, ValueError):
            continue
        if found.digest() == digest:
            return prepare(runs, found)
    raise BadSetting(
        f"The tickets {digest} are gone and cannot be made again: no run here knows their dials, "
        f"or the generator has changed since. Run lab split_trap once more."
    )


def _candidates(runs: Path, digest: str, dials: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    yield dials or {}
    yield {}
    for run in newest_first(runs):
        written = run.artifact("data")
        if isinstance(written, dict) and written.get("data") == digest:
            yield written.get("dials") or {}


def written(data: Path) -> dict[str, Any]:
    """What a run writes down of its data set, so that it can be made again."""
    card = json.loads((data / "card.json").read_bytes())
    return {"data": data.name, "dials": card["dials"]}
