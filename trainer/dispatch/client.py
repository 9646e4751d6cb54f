"""What others ask of the dispatcher: take this run, where do I stand, be there, leave."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from trainer import registry, tour, tracking
from trainer import runs as folder
from trainer.catalogue import ROOT
from trainer.dispatch import recorder
from trainer.dispatch.queue import QueueEntry
from trainer.errors import BadState
from trainer.process import Identity
from trainer.runs import Run, RunConfig, list_runs
from trainer.serve import client as endpoint
from trainer.wake import state_folder, was_seen

WARM = (sys.executable, "-m", "labs", "warm")  # passed on as data: the engine knows no lab
_AGAIN_S = 1.5  # a dispatcher needs some tenths of a second to show itself
_STOP_S = 12.0
_children: list["subprocess.Popen[bytes]"] = []
_started: dict[Path, tuple[float, "subprocess.Popen[bytes]"]] = {}


def submit(runs: Path, config: RunConfig, warm: Sequence[str] = WARM) -> Run:
    """Queue a run and return at once; a dispatcher is started where none lives."""
    run = folder.create(runs, config)
    ensure(runs, warm)
    return run


def ensure(runs: Path, warm: Sequence[str] = WARM) -> None:
    """See that a dispatcher lives, and tell it that somebody is here; returns at once."""
    (state_folder(runs) / "seen").touch()
    at, process = _started.get(runs, (-_AGAIN_S, None))
    _children[:] = [child for child in _children if child.poll() is None]  # collects the ended
    if is_running(runs) or (
        time.monotonic() - at < _AGAIN_S and process and process.returncode is None
    ):
        return
    with (state_folder(runs) / "dispatcher.log").open("ab") as log:
        command = [sys.executable, "-m", "trainer.dispatch", "serve", str(runs), "--", *warm]
        started = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=ROOT,
            env=os.environ | {"STAGECOACH_RUNS": str(runs)},  # children know no other folder
            start_new_session=True,
        )
    _started[runs] = (time.monotonic(), started)
    _children.append(started)


def dispatcher(runs: Path) -> Identity | None:
    """Return the dispatcher of this folder if one lives."""
    process = Identity.read(state_folder(runs) / "dispatcher.json")
    return process if process and process.is_alive else None


def is_running(runs: Path) -> bool:
    """Whether a dispatcher lives."""
    return dispatcher(runs) is not None


def queue(runs: Path) -> list[QueueEntry]:
    """Return the line as the dispatcher last told it."""
    try:
        entries = json.loads((state_folder(runs) / "queue.json").read_bytes())
        return [QueueEntry(**entry) for entry in entries]
    except (OSError, ValueError, TypeError):
        return []


def shutdown(runs: Path, wait_s: float = _STOP_S) -> list[str]:
    """End all that a runs folder has started; return the ids of the runs that were stopped.

    Workers finish their step and write a checkpoint, so every run can be resumed.
    """
    tour.end_leaders(runs)
    _end_dispatcher(runs)
    alive = [run for run in list_runs(runs) if run.worker and run.worker.is_alive]
    for run in alive:
        with contextlib.suppress(BadState):
            run.stop("stopped with the app")
    _wait_for(lambda: not any(run.worker and run.worker.is_alive for run in alive), wait_s)
    for run in alive:
        if run.worker:
            run.worker.send(signal.SIGKILL, group=True)
            run.worker.end_group()
    registry.end(runs)
    endpoint.shutdown(runs)
    tracking.stop_pages(runs)
    recorder.end(runs)
    return [run.id for run in alive]


def _end_dispatcher(runs: Path) -> None:
    # One that was asked for a moment ago may not have shown itself yet.
    state = state_folder(runs)
    _wait_for(lambda: is_running(runs) or not was_seen(state, _AGAIN_S), _AGAIN_S)
    process = dispatcher(runs)
    if process is None:
        return
    process.send(signal.SIGTERM)
    _wait_for(lambda: not process.is_alive, 8.0)
    process.send(signal.SIGKILL)
    if runs in _started:
        with contextlib.suppress(subprocess.TimeoutExpired):
            _started.pop(runs)[1].wait(timeout=1)


def _wait_for(done: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)
