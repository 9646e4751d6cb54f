"""How a terminal sees a run: a bar on stderr while it goes on, one JSON object at its end."""

import sys
from typing import Any

from trainer.dispatch import client
from trainer.runs import Run, RunStatus

_WIDTH = 30


class Bar:
    """One line on stderr: redrawn in a terminal, written once per tenth elsewhere."""

    def __init__(self) -> None:
        """Look whether stderr is a terminal."""
        self._terminal, self._last = sys.stderr.isatty(), ""

    def show(self, run: Run) -> None:
        """Draw how the run stands, if that has changed."""
        total = int(run.plan.get("steps", 0))
        share = min(1.0, run.step / total) if total else 0.0
        line = self._words(run, share, total)
        key = line if self._terminal else line.partition("|")[0] + f"{int(share * 10)}"
        if key != self._last:
            self._last = key
            print(
                f"\r\x1b[K{line}" if self._terminal else line,
                end="" if self._terminal else "\n",
                file=sys.stderr,
                flush=True,
            )

    def _words(self, run: Run, share: float, total: int) -> str:
        if run.status is RunStatus.SCHEDULED:
            place = next(
                (entry.place for entry in client.queue(run.path.parent) if entry.id == run.id), 0
            )
            return f"{run.id} waiting, place {place}" if place else f"{run.id} starting"
        full = int(share * _WIDTH)
        state = "paused" if run.is_paused else "running"
        bar = "#" * full + "." * (_WIDTH - full)
        return f"{run.id} {state} |{bar}| step {run.step:,} of up to {total:,}, {run.seconds:.0f} s"

    def say(self, words: str) -> None:
        """Print a sentence below the bar."""
        print(f"\n{words}", file=sys.stderr, flush=True)


def summary(run: Run) -> dict[str, Any]:
    """Return the run as scripts get it: strict JSON, NaN and infinities as words."""
    found = run.finding
    metrics = {name: _strict(value) for name, value in sorted(run.metrics.items())}
    config = run.config
    return {
        "id": run.id,
        "lab": config.lab,
        "status": str(run.status),
        "seed": config.seed,
        "device": run.record.device,
        "metrics": metrics,
        "finding": {"name": found.name, "value": _strict(found.value), "text": found.text}
        if found
        else None,
        "surprise": run.surprise,
        "seconds": round(run.seconds, 3),
        "path": str(run.path),
    }


def _strict(value: float) -> float | str:
    finite = isinstance(value, (int, float)) and value - value == 0
    return value if finite else str(value)
