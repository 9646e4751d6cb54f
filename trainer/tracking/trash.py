"""Deleting with a way back: a run folder moves to `trash/`, and the run into MLflow's own bin."""

import contextlib
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from trainer.errors import BadState, UnknownRun
from trainer.runs import RUN_ID, Run, RunStatus, find, list_runs
from trainer.tracking import environment
from trainer.tracking.health import HistoryError, check

if TYPE_CHECKING:
    from trainer.tracking.store import Store

FOLDER = "trash"
KEPT_S = 7 * 24 * 3600.0


def delete(runs: Path, run_id: str) -> None:
    """Move a run to the trash; `restore` takes it back within seven days.

    Raises:
        UnknownRun: when there is no such run.
        BadState: when it waits or runs, or another run stands on it.
    """
    run = find(runs, run_id)
    _must_be_free(runs, run)
    folder = runs / FOLDER
    folder.mkdir(exist_ok=True)
    # The folder's own time is the time of its deletion: nothing writes into it from here on.
    os.utime(run.path)
    run.path.rename(folder / run.id)
    _follow_in_mlflow(runs, run_id, is_deleted=True)


def restore(runs: Path, run_id: str) -> Run:
    """Take a run back out of the trash.

    Raises:
        UnknownRun: when the trash holds no such run.
    """
    kept = runs / FOLDER / run_id
    if not RUN_ID.fullmatch(run_id) or not kept.is_dir() or (runs / run_id).exists():
        raise UnknownRun(f"The trash holds no run {run_id[:80]!r}.")
    kept.rename(runs / run_id)
    _follow_in_mlflow(runs, run_id, is_deleted=False)
    return find(runs, run_id)


def trashed(runs: Path) -> list[Run]:
    """Return the runs in the trash, the last deleted first."""
    with contextlib.suppress(FileNotFoundError):
        found = [path for path in (runs / FOLDER).iterdir() if RUN_ID.fullmatch(path.name)]
        return [Run(path) for path in sorted(found, key=_deleted_at, reverse=True)]
    return []


def purge(runs: Path) -> None:
    """Remove for good what has lain in the trash for seven days."""
    for run in trashed(runs):
        if time.time() - _deleted_at(run.path) > KEPT_S:
            shutil.rmtree(run.path, ignore_errors=True)


def changed_at(runs: Path) -> float:
    """Return when a run was last moved in or out."""
    try:
        return (runs / FOLDER).stat().st_mtime
    except FileNotFoundError:
        return 0.0


def settle(runs: Path, store: "Store") -> dict[str, tuple[str, bool]]:
    """Bring MLflow's bin in line with the folders, which are the truth; return what it knew."""
    gone = {run.id for run in trashed(runs)}
    known = store.known()
    for run_id, (mlflow_id, is_deleted) in known.items():
        if run_id in gone and not is_deleted:
            store.delete(mlflow_id)
        elif is_deleted and (runs / run_id).is_dir():
            store.restore(mlflow_id)
    return known


def wipe(runs: Path) -> None:
    """Remove the store and every note of what went into it; the run folders themselves stay."""
    file = environment.sqlite_file(runs)
    if file is None:
        _wipe_server(runs)
    else:
        for name in (file.name, f"{file.name}-journal", f"{file.name}-wal", f"{file.name}-shm"):
            (file.parent / name).unlink(missing_ok=True)
        shutil.rmtree(runs / "mlartifacts", ignore_errors=True)
    for note in runs.glob("*/mlflow.json"):
        note.unlink()


def _wipe_server(runs: Path) -> None:
    from trainer.tracking.store import Store

    store = Store(runs)
    for run_id, (mlflow_id, is_deleted) in store.known().items():
        if not is_deleted and (runs / run_id).is_dir():  # the server may hold others' runs too
            store.delete(mlflow_id)


def _must_be_free(runs: Path, run: Run) -> None:
    if run.status in (RunStatus.SCHEDULED, RunStatus.RUNNING):
        raise BadState("This run is not over yet. Stop it first, then delete it.")
    for other in list_runs(runs):
        if other.config.parent == run.id:
            raise BadState(
                f"Run {other.id} stands on this run's checkpoint. Delete that one first."
            )


def _follow_in_mlflow(runs: Path, run_id: str, *, is_deleted: bool) -> None:
    """Do the same in MLflow at once if it answers; else the recorder does it as soon as it can."""
    with contextlib.suppress(HistoryError):
        check(runs)
        from trainer.tracking.store import Store

        store = Store(runs)
        mlflow_id = store.find(run_id)
        if mlflow_id is not None:
            (store.delete if is_deleted else store.restore)(mlflow_id)


def _deleted_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
