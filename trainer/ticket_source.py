"""Finds the data set of a hash in `runs/data`, and makes it again where it was cleared away."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainer.datasets.dials import Dials
from trainer.datasets.store import prepare
from trainer.errors import BadSetting
from trainer.owndata import making
from trainer.run_config import RunConfig
from trainer.runs import newest_first


def folder(runs: Path, digest: str, learner: str, dials: dict[str, Any] | None = None) -> Path:
    """The folder of the data set with that hash; made again where its dials are known.

    A learner's own data set is given to its owner alone, and once deleted it is gone.

    `dials` are the ones somebody remembers. Else the usual ones and those that runs wrote down are
    tried; only what gives the very same hash counts.

    Raises:
        BadSetting: the data set is gone and nobody knows its dials, or it is somebody else's.
    """
    place = runs / "data" / digest
    own = making.card_of(place)
    if own and own["owner"] != learner:
        raise BadSetting(f"The data set {digest} belongs to another learner; use one of your own.")
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
        f"The data set {digest} is gone and cannot be made again: it was a learner's own, or no "
        f"run here knows its dials. Bring the file once more, or run lab split_trap."
    )


def of_run(runs: Path, config: RunConfig, dials: Dials) -> Path:
    """The folder of the data set that a run names, else of these dials."""
    named = config.data_and_split
    return folder(runs, named[0], config.learner) if named else prepare(runs, dials)


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
    return {"data": data.name, "dials": card["dials"], "origin": card["origin"]}
