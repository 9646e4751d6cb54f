"""What the web server may know of the labs without importing one; the warm parent writes it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from trainer import events
from trainer.setting import SettingInfo, describe
from trainer.wake import state_folder

ROOT = Path(__file__).resolve().parent.parent
_CODE = ("labs/*.py", "trainer/**/*.py", "trainer/**/*.yaml")


@dataclass(frozen=True, kw_only=True)
class LabInfo:
    """One lab: its names, its settings, and the text of the file that runs."""

    id: str
    stage: str
    number: str
    title: str
    minutes: float
    forks: bool = False
    settings: tuple[SettingInfo, ...] = ()
    presets: dict[str, dict[str, Any]] = field(default_factory=dict)
    file: str = ""
    source: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON-able values."""
        return self.__dict__ | {"settings": [info.as_dict() for info in self.settings]}


@dataclass(frozen=True)
class Catalogue:
    """All labs, in the order of their numbers."""

    labs: tuple[LabInfo, ...]

    def lab(self, lab_id: str) -> LabInfo | None:
        """Return the lab of that id."""
        return next((lab for lab in self.labs if lab.id == lab_id), None)


def info(module: ModuleType) -> LabInfo:
    """Return what a lab module says of itself."""
    assert module.__file__
    path = Path(module.__file__)
    return LabInfo(
        id=path.stem,
        stage=module.STAGE,
        number=module.NUMBER,
        title=module.TITLE,
        minutes=module.MINUTES,
        forks=module.FORKS,
        settings=tuple(describe(module.Config)),
        presets=module.PRESETS,
        file=f"{path.parent.name}/{path.name}",
        source=path.read_text(encoding="utf-8"),
    )


def ordered(labs: Iterable[LabInfo]) -> tuple[LabInfo, ...]:
    """Return the labs in the order of their numbers: 2.5 stands before 2.10."""
    return tuple(sorted(labs, key=lambda lab: [int(part) for part in lab.number.split(".")]))


def write(runs: Path, labs: Iterable[LabInfo]) -> Path:
    """Write the catalogue of the code as it stands and return its file."""
    place = _place(runs)
    events.replace(place, json.dumps([lab.as_dict() for lab in ordered(labs)]).encode())
    for old in place.parent.glob("catalogue-*.json"):
        if old != place:
            old.unlink(missing_ok=True)
    return place


def read(runs: Path) -> Catalogue | None:
    """Return the catalogue of this code, or None while nobody has written it yet."""
    place = _place(runs)
    try:
        return _parse(place, place.stat().st_mtime_ns)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def code_hash() -> str:
    """Return a hash over the code of labs and engine; changes when a file does."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in _CODE for path in ROOT.glob(pattern)):
        stat = path.stat()
        digest.update(f"{path}:{stat.st_mtime_ns}:{stat.st_size}\n".encode())
    return digest.hexdigest()[:12]


def _place(runs: Path) -> Path:
    return state_folder(runs) / f"catalogue-{code_hash()}.json"


@lru_cache(maxsize=4)
def _parse(place: Path, _written: int) -> Catalogue:
    labs = []
    for values in json.loads(place.read_bytes()):
        settings = tuple(SettingInfo.from_dict(entry) for entry in values["settings"])
        labs.append(LabInfo(**values | {"settings": settings}))
    return Catalogue(tuple(labs))
