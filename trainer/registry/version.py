"""Registered models as everybody reads them: their names, versions and champion."""

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from trainer.errors import BadSetting
from trainer.learner import LEARNER, refusal

FOLDER = "models"
PREFIX = "alarm-desk."
CHAMPION = "champion"
WEIGHTS, CONFIG, GRAPH, CARD = "model.safetensors", "config.json", "model.onnx", "card.json"
FILES = (WEIGHTS, CONFIG, GRAPH, CARD)
_TOLD = {"run", "lab", "learner", "parent", "data", "ticket", "metrics", "files", "export", "date"}
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, kw_only=True)
class Version:
    """One version of a registered model: a read-only folder, and its card."""

    model: str
    number: int
    path: Path
    card: dict[str, Any] = field(repr=False)
    is_champion: bool = False

    @property
    def run(self) -> str:
        """The id of the run that trained it; the run itself may be deleted since."""
        return str(self.card["run"])

    @property
    def accuracy(self) -> float | None:
        """Its accuracy on test tickets, as its run measured it."""
        found = self.card["metrics"].get("test/accuracy")
        return float(found["value"]) if found else None


def model_name(learner: str) -> str:
    """Return the name under which a learner's models are registered.

    Raises:
        BadSetting: for a learner whose name could not be a folder's and an address's part.
    """
    if not LEARNER.fullmatch(learner):
        raise BadSetting(refusal(learner))
    return PREFIX + learner


def folder_of(runs: Path, model: str) -> Path:
    """Return where the versions of a model lie."""
    return runs / FOLDER / model


def models(runs: Path) -> list[str]:
    """Return the names of all models that have a folder."""
    try:
        names = [path.name for path in (runs / FOLDER).iterdir() if path.is_dir()]
    except FileNotFoundError:
        return []
    return sorted(name for name in names if LEARNER.fullmatch(name.removeprefix(PREFIX)))


def versions(runs: Path, learner: str) -> list[Version]:
    """Return a learner's versions, the newest first."""
    return of_model(runs, model_name(learner))


def champion(runs: Path, learner: str) -> Version | None:
    """Return the version that answers requests, None while there is none."""
    return next((each for each in versions(runs, learner) if each.is_champion), None)


def made_of(runs: Path, run: str) -> list[Version]:
    """Return the versions that were made of a run; they stay when the run is deleted."""
    return [each for model in models(runs) for each in of_model(runs, model) if each.run == run]


def of_model(runs: Path, model: str) -> list[Version]:
    """Return all versions of a model, the newest first."""
    folder = folder_of(runs, model)
    first = champion_number(folder)
    found = []
    for number in sorted(numbers(folder), reverse=True):
        path = folder / str(number)
        card = _card(path, _written(path / CARD))
        if card is not None:
            is_champion = number == first
            found.append(
                Version(model=model, number=number, path=path, card=card, is_champion=is_champion)
            )
    return found


def numbers(folder: Path) -> list[int]:
    """Return the version numbers in a model's folder."""
    try:
        names = [path.name for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [int(name) for name in names if _NUMBER.fullmatch(name)]


def champion_number(folder: Path) -> int | None:
    """Return what the one-line file `champion` of a model's folder says."""
    try:
        text = (folder / CHAMPION).read_text().strip()
    except (OSError, ValueError):
        return None
    return int(text) if _NUMBER.fullmatch(text) else None


def _written(place: Path) -> int:
    try:
        return place.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=256)
def _card(path: Path, _written_at: int) -> dict[str, Any] | None:
    """Return a version's card; None where something that is no version has such a name."""
    try:
        card = json.loads((path / CARD).read_bytes())
        is_whole = all((path / name).is_file() for name in FILES)
        return card if is_whole and set(card) >= _TOLD else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
