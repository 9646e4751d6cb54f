"""Promotes runs in forked processes, each killed one step later than the one before.

    python -m tests.registry.dying kill TEMPLATE TARGET EXPORTS RUN
    python -m tests.registry.dying race RUNS EXPORTS RUN ...

A step is a wait for the disk or a rename: what stands between two of them is one piece to a reader.
`kill` fills TARGET/1, TARGET/2 ... until a promoter comes through, and prints how many were killed.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.registry import kept_runs
from trainer import registry
from trainer.registry import export, promotion  # noqa: F401 - loaded once, before the forks

MOST = 60


def die_at(step: int) -> None:
    """Lets the process be killed right before its step of that number."""
    steps = 0

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def one(*given: Any, **named: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*given, **named)

        return one

    os.fsync, os.rename, os.replace = map(counted, (os.fsync, os.rename, os.replace))


def fork(runs: Path, run: str, step: int = 0) -> int:
    """Begins a promoter and returns its number."""
    child = os.fork()
    if child:
        return child
    if step:
        die_at(step)
    try:
        registry.promote(runs, run)
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def kill(template: Path, target: Path, run: str) -> int:
    for step in range(1, MOST):
        runs = target / str(step)
        shutil.copytree(template, runs)
        code = os.waitstatus_to_exitcode(os.waitpid(fork(runs, run, step), 0)[1])
        if code != -signal.SIGKILL:
            print(step - 1)
            return code
    return 1


def race(runs: Path, names: list[str]) -> int:
    children = [fork(runs, name) for name in names]
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


def main(what: str, first: str, *others: str) -> int:
    exports = others[1] if what == "kill" else others[0]
    export.write = kept_runs.writing_once(export.write, Path(exports))
    if what == "kill":
        return kill(Path(first), Path(others[0]), others[2])
    return race(Path(first), list(others[1:]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
