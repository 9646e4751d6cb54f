"""A version of a learner's model from its folder to a warm queue; checked before it is used."""

import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trainer.serve.backend import Backend, Tickets, Timed, wide
from trainer.serve.bare import Bare
from trainer.serve.batcher import Batcher, Limits
from trainer.serve.reading import Reading
from trainer.serve.stats import Stats

MODELS = "models"  # in the runs folder
CHAMPION = "champion"  # in a model's folder: one line, the version that answers
NAME = re.compile(r"alarm-desk\.[a-z0-9-]{1,40}")
VERSION = re.compile(r"[1-9][0-9]{0,8}")
FILE = "model.onnx"
_CURVE_ROWS = 32  # S(n) is measured to at least so many rows, whatever the limit of a batch


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What all models of a server share."""

    limits: Limits = field(default_factory=Limits)
    threads: int = 1


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A version that answers."""

    version: str
    backend: Backend
    batcher: Batcher
    bare: Bare


def champion(folder: Path) -> str | None:
    """Return the version that a model's folder names as its champion; None if it names none."""
    try:
        found = (folder / CHAMPION).read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return found if VERSION.fullmatch(found) else None


def champions(runs: Path) -> dict[str, str]:
    """Return the champion of every model of the runs folder; other folders are passed over."""
    try:
        names = sorted(entry.name for entry in os.scandir(runs / MODELS))
    except OSError:
        return {}
    found = {n: champion(runs / MODELS / n) for n in names if NAME.fullmatch(n)}
    return {name: version for name, version in found.items() if version}


def read(folder: Path, threads: int) -> Tickets:
    """Return the model of a version's folder.

    Raises:
        ValueError: in words, why it cannot be trusted or used.
    """
    try:
        content = (folder / FILE).read_bytes()
        card, config = (_json(folder / name) for name in ("card.json", "config.json"))
    except OSError as error:
        raise ValueError(f"{error.filename or folder} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != _hash(card):
        raise ValueError(f"{FILE} is not the file that card.json describes: another hash")
    return Tickets(content, threads, Reading.of(config))


def extra(words: str, threads: int) -> tuple[str, Backend]:
    """Return the name and the model of `wide`, `wide:UNITS` or `timed:A:B`.

    Raises:
        ValueError: there is no such extra.
    """
    match words.split(":"):
        case ["wide"]:
            return "wide", wide(threads)
        case ["wide", units] if units.isdecimal():
            return "wide", wide(threads, int(units))
        case ["timed", a_ms, b_ms]:
            return "timed", Timed(float(a_ms), float(b_ms))
    raise ValueError(f"there is no extra {words!r}: `wide`, `wide:UNITS` or `timed:A:B`")


def start(
    version: str, backend: Backend, settings: Settings, stats: Stats, after: Loaded | None = None
) -> Loaded:
    """Warm a model up, measure it, and open its queue; `after` is the version it follows."""
    most = max(settings.limits.max_batch, _CURVE_ROWS)
    bare = Bare.measure(backend.forward, backend.example, most)
    before = after.batcher if after else None
    batcher = Batcher(backend.forward, settings.limits, stats, bare, after=before)
    return Loaded(version=version, backend=backend, batcher=batcher, bare=bare)


def _json(place: Path) -> dict[str, Any]:
    values = json.loads(place.read_bytes())
    if not isinstance(values, dict):
        raise ValueError(f"{place.name} holds no JSON object")
    return values


def _hash(card: dict[str, Any]) -> str | None:
    files = card.get("files")
    return files.get(FILE) if isinstance(files, dict) else None
