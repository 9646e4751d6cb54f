"""Keeps the history's recorder alive beside the dispatcher; what it records is its own business."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from trainer.catalogue import ROOT
from trainer.process import Identity, identity
from trainer.wake import state_folder

_AGAIN_S = 5.0  # between two tries


class Recorder:
    """One recorder process a runs folder; adopted, not doubled, by the next dispatcher."""

    def __init__(self, runs: Path) -> None:
        """Adopt the recorder of a dead dispatcher where there is one."""
        self._runs, self._place = runs, state_folder(runs) / "recorder_process.json"
        self._process = running(runs)
        self._child: subprocess.Popen[bytes] | None = None
        self._tried_at = -_AGAIN_S

    def keep(self) -> None:
        """Start the recorder if none lives."""
        if self._child:
            self._child.poll()  # collects it once it has ended
        if self._process and self._process.is_alive:
            return
        if time.monotonic() - self._tried_at < _AGAIN_S:
            return
        self._tried_at = time.monotonic()
        with (state_folder(self._runs) / "recorder.log").open("ab") as log:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "trainer.tracking", str(self._runs)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env=os.environ | {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"},
                start_new_session=True,
            )
        with contextlib.suppress(ProcessLookupError):
            self._process = identity(self._child.pid)
            self._process.write(self._place)

    def close(self) -> None:
        """End the recorder: it writes what it has read, then leaves."""
        end(self._runs)
        if self._child:
            self._child.poll()


def running(runs: Path) -> Identity | None:
    """Return the recorder of this folder if one lives."""
    process = Identity.read(state_folder(runs) / "recorder_process.json")
    return process if process and process.is_alive else None


def end(runs: Path, wait_s: float = 5.0) -> None:
    """End the recorder of this folder, by force if it takes too long."""
    process = running(runs)
    if process is None:
        return
    process.send(signal.SIGTERM)
    deadline = time.monotonic() + wait_s
    while process.is_alive and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send(signal.SIGKILL, group=True)
