"""`python -m trainer.tracking RUNS`: the recorder, started by the dispatcher; and rebuilds."""

import argparse
import sys
from pathlib import Path

from trainer import tracking
from trainer.errors import StagecoachError
from trainer.tracking.mlflow_pages import supervise


def main() -> int:
    """Do what the command line says and return the exit code: 0 done, 2 could not."""
    parser = argparse.ArgumentParser(prog="python -m trainer.tracking", description=__doc__)
    parser.add_argument("runs", type=Path, help="the runs folder")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--rebuild", action="store_true", help="write the MLflow store anew")
    what.add_argument("--pages", type=int, metavar="PORT", help="serve MLflow's own pages")
    what.add_argument("--stop-pages", action="store_true", help="end MLflow's own pages")
    asked = parser.parse_args()
    runs = asked.runs.resolve()
    if not runs.is_dir():
        print(f"There is no runs folder {runs}.", file=sys.stderr)
        return 2
    try:
        _do(asked, runs)
    except StagecoachError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or runs}: {error.strerror}.", file=sys.stderr)
        return 2
    return 0


def _do(asked: argparse.Namespace, runs: Path) -> None:
    if asked.rebuild:
        print(f"The history holds {tracking.rebuild(runs)} runs again.")
    elif asked.pages:
        supervise(runs, asked.pages)
    elif asked.stop_pages:
        tracking.stop_pages(runs)
    elif not tracking.record(runs):
        print("Another recorder is at work here already.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
