"""The command line of the labs, and the entry of the warm parent and its workers."""

import sys

from labs import commands


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0 finished, 1 failed, 2 bad input, 75 stopped."""
    match arguments:
        case ["warm", *runs]:
            return _warm(runs)
        case ["worker", run, device]:
            return _worker(run, device)
    return commands.main(arguments)


def _warm(runs: list[str]) -> int:
    """Load torch and every lab, write the catalogue, then fork workers on request."""
    import torch._dynamo  # noqa: F401 - the first optimizer would load it, which costs a worker two seconds

    from labs import registry
    from trainer import catalogue, warm
    from trainer import runs as folder

    modules = registry.all_labs()
    place = folder.runs_folder()
    catalogue.write(place, [catalogue.info(module) for module in modules.values()])
    warm.serve(lambda lab_id: registry.find(lab_id))
    return 0


def _worker(run: str, device: str) -> int:
    from pathlib import Path

    from labs import registry
    from trainer import warm

    return warm.work(Path(run), registry.find, device)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
