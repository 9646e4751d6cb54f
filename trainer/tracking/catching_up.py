"""How far MLflow has come in the registry's book, and a short wait for it; loads no MLflow."""

import json
import os
import time
from pathlib import Path

from trainer import events
from trainer.dispatch import recorder as recorder_process
from trainer.tracking import health
from trainer.wake import state_folder

PATIENCE_S = 2.5  # the recorder looks once a second
_NOTE = "registry.json"


def catch_up(runs: Path, size: int, *, may_load: bool = False) -> bool:
    """See that MLflow knows the first `size` bytes of the registry's book; wait a little for it.

    The recorder does it where one lives. Where none does, this process does it with `may_load`,
    which loads MLflow; else the next recorder will. Returns whether MLflow is up to date; whatever
    is wrong with MLflow, this never fails.
    """
    if os.environ.get("STAGECOACH_HISTORY") == "off":
        return False
    if recorder_process.running(runs):
        return _wait_for_recorder(runs, size)
    if not may_load:
        return False
    from trainer.tracking.recorder import once

    return once(runs)


def replayed(runs: Path) -> int:
    """Return the length of the book that MLflow holds."""
    try:
        return int(json.loads((state_folder(runs) / _NOTE).read_bytes())["offset"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def note(runs: Path, offset: int) -> None:
    """Write down how much of the book MLflow holds."""
    events.replace(state_folder(runs) / _NOTE, json.dumps({"offset": offset}).encode())


def _wait_for_recorder(runs: Path, size: int) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while replayed(runs) < size:
        told = health.told(runs)
        is_failing = told is not None and told.is_fresh and bool(told.error)
        if is_failing or time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
