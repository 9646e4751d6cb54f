"""The last word of a run whose worker could not say it."""

import signal
import time

from trainer import events
from trainer.events import Event
from trainer.runs import Run


def say(run: Run, status: str, reason: str, error: str | None = None) -> None:
    """Append `ended`: whoever calls this knows that no worker lives."""
    values = {"status": status, "reason": reason, "error": error, "surprise": None}
    event = Event(kind="ended", t=time.time(), step=run.step, seconds=run.seconds, values=values)
    events.append(run.path / events.FILE, event.line(), durable=True)


def cause(run: Run, code: int | None) -> str:
    """Return a sentence on how a worker died; `code` is its exit code, below 0 a signal."""
    where = f"at step {run.step:,}" if run.step else "before its first step"
    if code is not None and code < 0:
        return f"The worker was killed by signal {-code} ({signal.Signals(-code).name}) {where}."
    if code:
        return f"The worker ended with exit code {code} {where}."
    return f"The worker ended without a word {where}."
