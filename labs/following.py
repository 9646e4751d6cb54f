"""Follow a run in a terminal to its end; Ctrl-C stops it, a second one leaves it running."""

import json
import signal
import sys
import time
from collections.abc import Callable

from labs.progress import Bar, summary
from trainer.dispatch import client
from trainer.errors import StagecoachError, UnknownRun
from trainer.exit_codes import BAD_INPUT, FAILED, FINISHED, LEFT, STOPPED
from trainer.runs import Run, RunStatus

_CODES = {RunStatus.FINISHED: FINISHED, RunStatus.FAILED: FAILED, RunStatus.KILLED: STOPPED}
_LOOK_S = 0.1
_SECOND_S = 1.0  # so long the stop is held back for a second Ctrl-C
_END_S = 20.0


class _Presses:
    """Counts Ctrl-C from the first moment on, so that none falls between two lines of code."""

    def __init__(self) -> None:
        self.times: list[float] = []
        signal.signal(signal.SIGINT, lambda *_: self.times.append(time.monotonic()))

    @property
    def is_stop_due(self) -> bool:
        return len(self.times) == 1 and time.monotonic() - self.times[0] > _SECOND_S


def follow(start: Callable[[], Run]) -> int:
    """Start a run, follow it to its end and print it.

    Returns:
        0 finished, 1 failed, 2 bad input, 75 stopped, 130 left running by a second Ctrl-C.
    """
    presses = _Presses()
    run, bar, is_stopping, has_told = start(), Bar(), False, False
    while not run.has_ended:
        if not run.path.is_dir():
            raise UnknownRun(f"The folder of {run.id} is gone.")
        client.ensure(run.path.parent)
        bar.show(run)
        if presses.times and not has_told:
            bar.say("Stopping. Press Ctrl-C again within a second to leave the run to itself.")
            has_told = True
        if len(presses.times) > 1:
            return _leave(run, bar)
        if presses.is_stop_due and not is_stopping:
            is_stopping = True
            _ask(run.stop)
        time.sleep(_LOOK_S)
    if len(presses.times) > 1:
        return _leave(run, bar)
    bar.say(f"{run.status.lower()}: {run.error or run.reason}")
    print_summary(run)
    return BAD_INPUT if run.reason == "bad input" else _CODES[run.status]


def print_summary(run: Run) -> None:
    """Print the run as the last line of stdout: strict JSON that scripts may rely on."""
    print(json.dumps(summary(run), allow_nan=False), flush=True)


def _leave(run: Run, bar: Bar) -> int:
    """Leave the run to itself; one that was asked to stop already goes on from its checkpoint."""
    if (run.path / "commands" / "stop").exists():
        deadline = time.monotonic() + _END_S
        while not run.has_ended and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
        if run.status is RunStatus.KILLED:
            _ask(run.resume)
            client.ensure(run.path.parent)
    is_over = run.status in (RunStatus.FINISHED, RunStatus.FAILED)
    bar.say(f"{run.id} has ended." if is_over else f"The run goes on: {run.id}")
    print_summary(run)
    return LEFT


def _ask(act: Callable[[], None]) -> None:
    try:
        act()
    except StagecoachError as error:  # for example: it ended in this very moment
        print(f"labs: {error}", file=sys.stderr)
