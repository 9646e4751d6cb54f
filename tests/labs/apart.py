"""Runs a lab that forks in a process of its own: a fork needs one that has a single thread."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from trainer.run import Run
from trainer.worker import ActiveRun


def stopping(stop_at: int | None) -> type[ActiveRun]:
    """A worker's run that asks itself to stop after a step, as a learner would."""

    class Stopping(ActiveRun):
        def log(self, step: int, **metrics: Any) -> None:
            super().log(step, **metrics)
            if step == stop_at:
                self.stop("stopped by the test")

    return Stopping


def start(run: Run, stop_at: int | None, device: str, module: str = "tests.labs.apart") -> None:
    command = [sys.executable, "-m", module, str(run.path), str(stop_at or 0), device]
    subprocess.run(command, check=False, timeout=100)


def main(path: str, stop_at: str, device: str) -> int:
    from labs import registry
    from trainer import life

    run = Run(Path(path))
    life.ActiveRun = stopping(int(stop_at) or None)  # type: ignore[misc]
    return life.live(run, registry.find(run.config.lab), device)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
