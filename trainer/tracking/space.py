"""How much room the runs folder takes, by what takes it."""

import os
from dataclasses import dataclass
from pathlib import Path

from trainer.runs import RUN_ID
from trainer.tracking import environment, trash


@dataclass(frozen=True)
class Space:
    """Bytes on disk."""

    runs: int
    data: int
    models: int
    trash: int
    store: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.runs + self.data + self.models + self.trash + self.store


def space_used(runs: Path) -> Space:
    """Return what runs, data sets, registered models, trash and MLflow store take."""
    folders = [runs / name for name in os.listdir(runs) if RUN_ID.fullmatch(name)]
    store = environment.sqlite_file(runs)
    file = store.stat().st_size if store and store.is_file() else 0
    return Space(
        runs=sum(_bytes(folder) for folder in folders),
        data=_bytes(runs / "data"),
        models=_bytes(runs / "models"),
        trash=_bytes(runs / trash.FOLDER),
        store=file + _bytes(runs / "mlartifacts"),
    )


def _bytes(folder: Path) -> int:
    total = 0
    for here, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(here, name)).st_size
            except FileNotFoundError:
                continue
    return total
