"""Versions made without PyTorch: real folders, book and champion around files that hold words."""

import hashlib
import json
from pathlib import Path
from typing import Any

from trainer.registry import shelf
from trainer.registry.version import CONFIG, FILES, GRAPH, WEIGHTS

__all__ = ["FILES", "card", "make"]

TEXT = "OLT081 | linkDown since the storm, cable found cut."


def card(run: str) -> dict[str, Any]:
    """What a promoter would say of a version of this run."""
    return {
        "run": run,
        "lab": "four_brakes",
        "learner": "local",
        "parent": None,
        "data": {
            "id": "0123456789abcdef",
            "title": "The Alarm Desk",
            "about": "All of it is invented.",
            "origin": "synthetic",
            "split": "device",
            "seed": 7,
            "trained_on": 200,
            "counts": {"tickets": 600, "devices": 110, "wrong_labels": 36},
        },
        "ticket": {"id": "INC1", "text": TEXT, "alarms": ["linkDown"], "true": "fibre_cut"},
        "metrics": {"test/accuracy": {"value": 0.625, "origin": "M"}},
        "files": {WEIGHTS: hashlib.sha256(run.encode()).hexdigest()},
        "export": {"largest_difference": 1e-7, "other_answers": 0, "rows": 512, "limit": 1e-4},
    }


def make(runs: Path, run: str, learner: str = "local", **more: Any) -> int:
    """Puts the next version in place and makes it champion; returns its number."""
    model = f"alarm-desk.{learner}"
    with shelf.making(runs, model) as aside:
        for name in (WEIGHTS, CONFIG, GRAPH):
            (aside / name).write_text(run)
        (aside / CONFIG).write_text(json.dumps({"alarms": ["linkDown", "warmStart"], "of": run}))
        number = shelf.place(runs, model, aside, card(run) | more)
    shelf.settle(runs)
    return number
