"""`serve RUNS -- COMMAND...` owns a runs folder; `stop [RUNS]` ends all that runs in it."""

import sys
from pathlib import Path

from trainer.dispatch import client
from trainer.dispatch.server import Dispatcher
from trainer.runs import runs_folder


def main(arguments: list[str]) -> int:
    """Serve or stop; 2 for anything else."""
    match arguments:
        case ["serve", runs, "--", *command] if command:
            return _serve(Path(runs), command)
        case ["stop"]:
            return _stop(runs_folder())
        case ["stop", runs]:
            return _stop(Path(runs).resolve())
    print(__doc__, file=sys.stderr)
    return 2


def _serve(runs: Path, command: list[str]) -> int:
    try:
        dispatcher = Dispatcher(runs, command)
    except BlockingIOError:
        print("Another dispatcher owns this folder.", file=sys.stderr)
        return 0
    dispatcher.serve()
    return 0


def _stop(runs: Path) -> int:
    stopped = client.shutdown(runs)
    if stopped:
        print(f"Stopped {len(stopped)} run(s); each can be resumed: {', '.join(stopped)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
