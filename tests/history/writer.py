"""A tiny writer of run folders: what a worker leaves behind, without one."""

import itertools
from pathlib import Path
from typing import Any

from trainer import events, runs
from trainer.events import Event
from trainer.runs import Run, RunConfig

T0 = 1_790_000_000.0
_numbers = itertools.count(1)


def new(folder: Path, **config: Any) -> Run:
    """A run that was just submitted, with a name that no other test run has."""
    values: dict[str, Any] = {"lab": "four_brakes", **config}
    made = runs.create(folder, RunConfig(**values))
    number = next(_numbers)
    name = f"20261130-{number:06}-{values['lab']}-{number:04x}"
    made.path.rename(folder / name)
    return Run(folder / name)


def say(run: Run, kind: Any, values: dict[str, Any], *, step: int = 0, t: float = 0.0) -> None:
    """Append one event; its running time equals the time since T0."""
    event = Event(kind=kind, t=T0 + t, step=step, seconds=t, values=values)
    events.append(run.path / events.FILE, event.line())


def start(run: Run, *, t: float = 0.0, kind: str = "started", **more: Any) -> None:
    """The worker's first word."""
    say(run, kind, {"pid": 1, "device": "cpu", "device_name": "CPU", **more}, t=t)


def train(run: Run, steps: range, *, every_s: float = 0.1, t: float = 0.0) -> None:
    """A falling loss, one line a step, and an accuracy every tenth step."""
    lines = []
    for place, step in enumerate(steps):
        values = {"train/loss": 1 / step}
        if step % 10 == 0:
            values["val/accuracy"] = 1 - 1 / step
        at = t + place * every_s
        lines.append(Event(kind="metrics", t=T0 + at, step=step, seconds=at, values=values).line())
    events.append(run.path / events.FILE, b"".join(lines))


def end(run: Run, status: str = "FINISHED", *, t: float = 100.0, **more: Any) -> None:
    """The worker's last word."""
    values = {"status": status, "reason": "finished", "error": None, "surprise": None, **more}
    say(run, "ended", values, t=t)


def finished(folder: Path, steps: int = 50, **config: Any) -> Run:
    """A whole run."""
    run = new(folder, **config)
    start(run)
    plan = {"steps": steps, "examples_per_step": 8, "arms": {"row": 0, "device": 20}}
    say(run, "sample", {"name": "plan", "value": plan})
    train(run, range(1, steps + 1))
    say(run, "sample", {"name": "turn_epoch", "value": 12}, step=steps, t=50.0)
    say(run, "sample", {"name": "picture", "value": list(range(1000))}, step=steps, t=50.0)
    text = "Validation turned at step 12."
    say(run, "finding", {"name": "turning_point", "value": 12.0, "text": text}, step=steps, t=50.0)
    end(run, surprise=True)
    return run
