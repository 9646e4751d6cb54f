"""Writes what chain labs and the registry leave behind, without any of them."""

import itertools
import json
from pathlib import Path
from typing import Any

from tests.registry import by_hand
from trainer import events
from trainer.events import Event
from trainer.runs import Run, RunConfig, create

OLD, NEW = "3f2a09c1d5e6b7f8", "9b7c09c1d5e6b7f8"
clock = itertools.count(1_790_000_000)


def say(run: Run, kind: Any, values: dict[str, Any]) -> None:
    event = Event(kind=kind, t=float(next(clock)), step=1, seconds=1.0, values=values)
    events.append(run.path / events.FILE, event.line())


def write(runs: Path, lab: str, *, status: str = "FINISHED", **config: Any) -> Run:
    run = create(runs, RunConfig(lab=lab, **config))
    say(run, "started", {"device": "cpu"})
    say(run, "finding", {"name": "lost_steps", "value": 3, "text": "Three steps were lost."})
    if status != "RUNNING":
        say(run, "ended", {"status": status, "reason": "finished"})
    return run


def split_trap(runs: Path, data: str = OLD, **config: Any) -> Run:
    run = create(runs, RunConfig(lab="split_trap", **config))
    say(run, "started", {"device": "cpu"})
    say(run, "sample", {"name": "data", "value": data})
    say(run, "metrics", {"row.val/accuracy": 0.75, "device.val/accuracy": 0.52})
    say(run, "ended", {"status": "FINISHED", "reason": "finished"})
    return run


def four_brakes(runs: Path, data: str = OLD, split: str = "device", **config: Any) -> Run:
    run = write(runs, "four_brakes", **config)
    say(run, "metrics", {"test/accuracy": 0.71})
    kept = {
        "sizes": [3, 2, 2],
        "vocabulary": ["<unknown>", "link"],
        "alarms": ["a"],
        "causes": ["x", "y"],
        "data": data,
        "dials": {},
        "split": split,
        "tickets": 200,
        "seed": 1,
        "parent": run.config.parent,
        "sha256": "0",
    }
    (run.path / "artifacts" / "config.json").write_text(json.dumps(kept))
    (run.path / "artifacts" / "model.safetensors").write_bytes(b"")
    say(run, "ended", {"status": "FINISHED", "reason": "finished"})
    return run


def champion(runs: Path, run: Run, learner: str = "local") -> None:
    """The next version, made of this run, is the champion from now on."""
    by_hand.make(runs, run.id, learner)
