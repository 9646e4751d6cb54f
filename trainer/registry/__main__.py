"""`python -m trainer.registry RUNS RUN`: registers a run's model, started by a page."""

import argparse
import sys
import time
from pathlib import Path

from trainer.errors import StagecoachError
from trainer.exit_codes import BAD_INPUT, FAILED, FINISHED
from trainer.process import identity
from trainer.registry import promoter
from trainer.registry.promoter import Progress


def main() -> int:
    """Register one run and say how far it is; 0 done, 1 failed, 2 refused."""
    parser = argparse.ArgumentParser(prog="python -m trainer.registry", description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("run")
    parser.add_argument("--learner")
    asked = parser.parse_args()
    promoter.limit()
    if not sys.stdin.isatty():
        sys.stdin.read()  # whoever started this one writes its first word, then lets it go
    return _promote(asked.runs.resolve(), asked.run, asked.learner)


def _promote(runs: Path, run_id: str, learner: str | None) -> int:
    me = identity()

    def say(progress: Progress) -> None:
        promoter.tell(runs, run_id, progress, me)

    def tell(words: str) -> None:
        say(Progress(state="running", words=words, t=time.time()))

    try:
        tell("loading PyTorch")
        from trainer.registry.promotion import promote

        made = promote(runs, run_id, learner, tell)
    except StagecoachError as error:
        say(Progress(state="failed", words=str(error), t=time.time()))
        return BAD_INPUT
    except Exception as error:  # whatever it was, the page must not wait for ever
        words = f"It could not be registered: {error}. Nothing was changed; try again."
        say(Progress(state="failed", words=words, t=time.time()))
        print(words, file=sys.stderr)
        return FAILED
    say(Progress(state="done", version=made.number, t=time.time()))
    return FINISHED


if __name__ == "__main__":
    sys.exit(main())
