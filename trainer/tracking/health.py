"""Whether the MLflow store can be used right now: found out in a moment, said in one sentence."""

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from trainer import events
from trainer.errors import StagecoachError
from trainer.tracking import environment
from trainer.wake import STATE

_FILE = "recorder.json"
_PATIENCE_S = 0.3  # MLflow itself would wait 20 s for a lock
_STALE_S = 30.0
_DAMAGE = ("not a database", "malformed", "no such table", "out-of-date")


class HistoryError(StagecoachError):
    """The store cannot be used now; the message says why, and that the runs are safe."""


@dataclass(frozen=True)
class Health:
    """What the recorder last said of itself."""

    ok: bool
    error: str
    behind_s: float
    t: float

    @property
    def is_fresh(self) -> bool:
        """Whether the word is recent enough to be believed."""
        return time.time() - self.t < _STALE_S


def check(runs: Path) -> None:
    """Look at a SQLite store without waiting; other stores answer for themselves.

    Raises:
        HistoryError: when the file is missing, locked or damaged.
    """
    file = environment.sqlite_file(runs)
    if file is None:
        return
    if not file.is_file():
        raise HistoryError(
            "The MLflow store is not there yet. Your runs are safe in their folders."
        )
    try:
        with closing(
            sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=_PATIENCE_S)
        ) as db:
            db.execute("SELECT count(*) FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise HistoryError(sentence(error)) from error


def sentence(error: BaseException) -> str:
    """Return what a learner should know about a failing store."""
    words = str(error).lower()
    if "locked" in words or "busy" in words:
        return (
            "Another program holds the MLflow store. Your runs are safe in their folders "
            "and are recorded as soon as it lets go."
        )
    if any(sign in words for sign in _DAMAGE):
        return (
            "The MLflow store is damaged or of another version. Your runs are safe in their "
            "folders; `python -m trainer.tracking FOLDER --rebuild`, with the runs folder, "
            "makes the store anew."
        )
    if "unable to open" in words or "readonly" in words or "full" in words:
        return "The MLflow store cannot be written. Your runs are safe in their folders."
    return "The MLflow store does not answer. Your runs are safe in their folders."


def tell(runs: Path, *, error: str, behind_s: float) -> None:
    """Write the recorder's own state for the pages."""
    health = Health(ok=not error, error=error, behind_s=round(behind_s, 2), t=time.time())
    folder = runs / STATE
    folder.mkdir(parents=True, exist_ok=True)
    events.replace(folder / _FILE, json.dumps(asdict(health)).encode())


def told(runs: Path) -> Health | None:
    """Return what the recorder last said, None where it never spoke."""
    try:
        return Health(**json.loads((runs / STATE / _FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
