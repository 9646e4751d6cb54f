"""The command line of the labs; also the entry of warm parent, workers and data maker."""

import subprocess
import sys
from pathlib import Path

from trainer.exit_codes import LEFT


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0 finished, 1 failed, 2 bad input, 75 stopped."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:  # before anything was started
        return LEFT


def _run(arguments: list[str]) -> int:
    # Imported here, so that Ctrl-C while they load is no traceback.
    from labs import commands

    match arguments:
        case ["warm"]:
            return _warm()
        case ["worker", run, device]:
            return _worker(Path(run), device)
        case ["prepare"]:
            return _prepare()
    return commands.main(arguments)


def _warm() -> int:
    """Load torch and every lab, write the catalogue, then fork workers on request."""
    # The first optimizer would load it, which costs a worker two seconds.
    import torch._dynamo  # noqa: F401

    from labs import registry
    from trainer import catalogue, warm
    from trainer.runs import runs_folder

    modules = registry.all_labs()
    catalogue.write(runs_folder(), [catalogue.info(module) for module in modules.values()])
    # In a process of its own: this one must stay without threads and without tensors.
    prepare = [sys.executable, "-m", "labs", "prepare"]
    subprocess.Popen(prepare, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    warm.serve(registry.find)
    return 0


def _worker(run: Path, device: str) -> int:
    from labs import registry
    from trainer import warm

    return warm.work(run, registry.find, device)


def _prepare() -> int:
    """Make the default data set, so that the first learner need not wait for it."""
    from trainer.datasets import Dials, prepare
    from trainer.runs import runs_folder

    prepare(runs_folder(), Dials())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
