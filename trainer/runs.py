"""The runs folder: makes run folders, finds them, lists them; foreign files are left alone."""

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Container, Iterator
from datetime import datetime
from pathlib import Path

from trainer import events
from trainer.errors import BadState, UnknownRun
from trainer.run import Run
from trainer.run_config import LAB_ID, RUN_ID, Finding, RunConfig, RunStatus
from trainer.wake import wake

__all__ = [
    "LAB_ID",
    "RUN_ID",
    "Finding",
    "Run",
    "RunConfig",
    "RunStatus",
    "create",
    "find",
    "list_runs",
    "runs_folder",
]


def runs_folder() -> Path:
    """Return the runs folder that STAGECOACH_RUNS names, `./runs` by default; made on first use."""
    folder = Path(os.environ.get("STAGECOACH_RUNS") or "runs").resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadState(f"The runs folder {folder} cannot be made: {error.strerror}.") from error
    return folder


def create(runs: Path, config: RunConfig) -> Run:
    """Write a new run folder and tell the dispatcher."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    try:
        run = place(runs / f"{stamp}-{config.lab}-{secrets.token_hex(2)}", config)
    except FileExistsError:  # the one name in 65,536 that somebody took in the same second
        return create(runs, config)
    wake(runs)
    return run


def place(path: Path, config: RunConfig) -> Run:
    """Write a run folder, SCHEDULED, in one piece: nobody ever sees half of it.

    Raises:
        FileExistsError: if there is one of that name.
    """
    config.check()
    hidden = path.with_name(f".new-{path.name}")
    for part in ("commands", "checkpoints", "artifacts"):
        (hidden / part).mkdir(parents=True, exist_ok=True)
    events.replace(hidden / "config.json", json.dumps(config.as_dict(), indent=2).encode())
    events.queue(hidden, "submitted")
    try:
        hidden.rename(path)
    except OSError as error:
        shutil.rmtree(hidden)
        raise FileExistsError(path.name) from error
    events.sync_folder(path.parent)
    return Run(path)


def find(runs: Path, run_id: str) -> Run:
    """Return the run of that name.

    Raises:
        UnknownRun: for anything that is no run in this folder, paths and foreign files included.
    """
    path = runs / str(run_id)
    if not RUN_ID.fullmatch(str(run_id)) or not _is_run(path):
        raise UnknownRun(f"There is no run {str(run_id)[:80]!r} here.")
    return Run(path)


def list_runs(
    runs: Path, *, lab: str | None = None, learner: str | None = None, limit: int | None = None
) -> list[Run]:
    """Return the runs, newest first; files and folders that are no runs are left alone."""
    found: list[Run] = []
    for run in newest_first(runs):
        if limit is not None and len(found) >= limit:
            break
        config = run.config
        if lab in (None, config.lab) and learner in (None, config.learner):
            found.append(run)
    return found


def newest_first(runs: Path, known: Container[str] = ()) -> Iterator[Run]:
    """Yield the runs; ids in `known` are believed, which saves reading their configs again."""
    with contextlib.suppress(FileNotFoundError):
        for name in sorted(os.listdir(runs), reverse=True):
            if name in known or (RUN_ID.fullmatch(name) and _is_run(runs / name)):
                yield Run(runs / name)


def _is_run(path: Path) -> bool:
    try:
        RunConfig.from_dict(json.loads((path / "config.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return False
    return (path / events.FILE).is_file()
