"""Runs labs that fork in processes with one thread: forked from one that has torch loaded, as the
warm parent does it, since loading takes longer than the run."""

import atexit
import importlib
import json
import os
import select
import subprocess
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from trainer.run import Run
from trainer.wake import CHILDREN
from trainer.worker import ActiveRun

LONGEST_S = 100.0  # a run of a second on a machine with much else to do
_parents: list[subprocess.Popen[bytes]] = []


def stopping(stop_at: int | None) -> type[ActiveRun]:
    """A worker's run that asks itself to stop after a step, as a learner would; no child does."""

    class Stopping(ActiveRun):
        def log(self, step: int, **metrics: Any) -> None:
            super().log(step, **metrics)
            if step == stop_at and self.path.parent.name != CHILDREN:
                self.stop("stopped by the test")

    return Stopping


def start(
    run: Run,
    stop_at: int | None,
    device: str,
    module: str = "tests.labs.apart",
    *,
    waits: bool = True,
) -> int:
    """Work on a run until its worker has ended; `module` has the `main` that does. Gives its pid.

    With `waits` off it returns as soon as there is a worker.
    """
    parent = _parent()
    assert parent.stdin is not None
    order = {"module": module, "words": [str(run.path), str(stop_at or 0), device]}
    parent.stdin.write(json.dumps(order | {"waits": waits}).encode() + b"\n")
    parent.stdin.flush()
    pid = _hear(parent)
    if waits:
        _hear(parent)
    return pid


def left() -> list[psutil.Process]:
    """Workers that have not ended, and processes that live in the group of one."""
    return psutil.Process(_parent().pid).children(recursive=True)


def main(path: str, stop_at: str, device: str) -> int:
    from labs import registry
    from trainer import life

    run = Run(Path(path))
    life.ActiveRun = stopping(int(stop_at) or None)  # type: ignore[misc]
    return life.live(run, registry.find(run.config.lab), device)


def _parent() -> subprocess.Popen[bytes]:
    if not _parents:
        command = [sys.executable, "-m", "tests.labs.apart"]
        pipe = subprocess.PIPE
        _parents.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0))
        atexit.register(_end, _parents[0])
    return _parents[0]


def _hear(parent: subprocess.Popen[bytes]) -> int:
    assert parent.stdout is not None
    ready, _, _ = select.select([parent.stdout], [], [], LONGEST_S)
    assert ready, "the run takes too long"
    return int(parent.stdout.readline())


def _end(parent: subprocess.Popen[bytes]) -> None:
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.close()
    parent.wait(LONGEST_S)
    parent.stdout.close()


def _serve() -> None:
    """Fork a worker for each line; say its pid, and its exit code where somebody waits for it."""
    import torch._dynamo  # noqa: F401 - as in the warm parent

    for line in sys.stdin:
        order = json.loads(line)
        with suppress(ChildProcessError):  # those for whom nobody waits
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        pid = os.fork()
        if pid == 0:
            _work(order)
        print(pid, flush=True)
        if order["waits"]:
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _work(order: dict[str, Any]) -> None:
    code = 1
    try:
        os.setpgid(0, 0)  # a group of its own, in which its ranks live as well
        os.dup2(2, 1)
        code = importlib.import_module(order["module"]).main(*order["words"])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
