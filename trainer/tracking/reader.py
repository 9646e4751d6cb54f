"""The history as pages read it: MLflow's rows, and what only the run folders know so far."""

import math
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainer import catalogue
from trainer.errors import StagecoachError
from trainer.events import FILE, current
from trainer.runs import Run, RunStatus, find, list_runs
from trainer.tracking import environment, health, rows, trash
from trainer.tracking.digest import Progress
from trainer.tracking.health import HistoryError
from trainer.tracking.rows import Point, Row

if TYPE_CHECKING:
    from trainer.tracking.store import Store

_LIMIT = 500
_OPEN = (RunStatus.SCHEDULED, RunStatus.RUNNING)
_is_loaded = threading.Event()
_loading = threading.Lock()
_ANSWER_HOLDS_S = 1.0
_ANSWERS = 64
_Answer = tuple[tuple[int, int, int] | None, float, list[Row]]
_answers: dict[tuple[Path, int, str | None], _Answer] = {}
_asking = threading.Lock()


@dataclass(frozen=True)
class History:
    """Rows, newest first; `sentence` says why MLflow cannot be used."""

    rows: list[Row]
    is_loading: bool = False
    sentence: str = ""


def warm_up() -> None:
    """Begin to load MLflow in the background, once a process: no page waits for it."""
    if not _is_loaded.is_set() and _loading.acquire(blocking=False):
        threading.Thread(target=_load, name="load-mlflow", daemon=True).start()


def is_loaded() -> bool:
    """Whether MLflow is loaded in this process."""
    return _is_loaded.is_set()


def history(runs: Path, *, lab: str | None = None, limit: int = _LIMIT) -> History:
    """Return the newest runs; never waits for MLflow, never fails because of it."""
    warm_up()
    here = list_runs(runs, lab=lab, limit=limit)
    recorded, sentence = _recorded(runs, limit, lab) if is_loaded() else ({}, "")
    labs = catalogue.read(runs)
    merged = [_better(run, recorded.pop(run.id, None), labs) for run in here]
    # What is left stands in MLflow alone: its folder was purged, or lies on another machine.
    gone = {run.id for run in trash.trashed(runs)}
    elsewhere = [row for row in recorded.values() if row.id not in gone and lab in (None, row.lab)]
    merged = sorted(merged + elsewhere, key=lambda row: row.id, reverse=True)
    return History(merged[:limit], is_loading=not is_loaded(), sentence=sentence)


def metric_history(runs: Path, run_id: str, name: str) -> list[Point]:
    """Return one metric by step: whole from the run folder, else as thinned for MLflow."""
    try:
        found = current(find(runs, run_id).events()[0])
    except (StagecoachError, OSError):
        return _points(runs, run_id, name)
    return [
        Point(name, event.step, float(event.values[name]), event.seconds, event.t)
        for event in found
        if event.kind == "metrics" and name in event.values
    ]


def _load() -> None:
    from trainer.tracking import store  # noqa: F401 - importing it is the point

    _is_loaded.set()


def _open(runs: Path) -> "Store":
    health.check(runs)
    from trainer.tracking.store import Store

    return Store(runs)


def _recorded(runs: Path, limit: int, lab: str | None) -> tuple[dict[str, Row], str]:
    try:
        found = _rows(runs, limit, lab)
    except HistoryError as failure:
        return {}, str(failure)
    told = health.told(runs)
    sentence = told.error if told and told.is_fresh else ""
    return {row.id: row for row in found}, sentence


def _rows(runs: Path, limit: int, lab: str | None) -> list[Row]:
    """Ask MLflow, whose answer takes a third of a second for 400 runs, once for a whole class."""
    store, key = _open(runs), (runs, limit, lab)
    with _asking:
        stamp, asked_at, found = _answers.get(key, (None, -math.inf, []))
        is_same = stamp is not None and stamp == _stamp(runs)
        if is_same or time.monotonic() - asked_at < _ANSWER_HOLDS_S:
            return found
        now = _stamp(runs)
        found = store.rows(limit, lab)
        if len(_answers) >= _ANSWERS:
            _answers.clear()
        _answers[key] = (now, time.monotonic(), found)
        return found


def _stamp(runs: Path) -> tuple[int, int, int] | None:
    """Return what changes whenever a SQLite store does; None for a store that cannot tell."""
    file = environment.sqlite_file(runs)
    if file is None:
        return None
    state = file.stat()
    return state.st_ino, state.st_mtime_ns, state.st_size


def _points(runs: Path, run_id: str, name: str) -> list[Point]:
    try:
        store = _open(runs)
        mlflow_id = store.find(run_id)
        return store.points(mlflow_id, name) if mlflow_id else []
    except HistoryError:
        return []


def _is_recorded(run: Run) -> bool:
    """Whether MLflow has every event: two small looks instead of reading a long file."""
    try:
        note = Progress.from_json((run.path / "mlflow.json").read_bytes())
        return note.offset == (run.path / FILE).stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _better(run: Run, row: Row | None, labs: catalogue.Catalogue | None) -> Row:
    """Prefer MLflow's row of a run that is over; how an open one fares only its files tell."""
    if row is not None and row.status not in _OPEN and _is_recorded(run):
        return row
    told = rows.of_folder(run, labs)
    if row is None:
        return told
    return replace(
        told, mlflow_run_id=row.mlflow_run_id, mlflow_experiment_id=row.mlflow_experiment_id
    )
