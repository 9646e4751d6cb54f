"""The registry: a finished run's model becomes a version, and one version is the champion.

    runs/models/alarm-desk.<learner>/<version>/   model.safetensors config.json model.onnx card.json
    runs/models/alarm-desk.<learner>/champion     the number of the version that answers requests
    runs/registry.jsonl                           what happened, in order; MLflow holds a copy

Reading, rolling back and `start` need no PyTorch; `promote` loads it.
"""

from pathlib import Path

from trainer import tracking
from trainer.registry import book, shelf
from trainer.registry.promoter import Progress, end, progress, start
from trainer.registry.version import Version, champion, made_of, model_name, versions

__all__ = [
    "Progress",
    "Version",
    "champion",
    "end",
    "made_of",
    "model_name",
    "next_number",
    "progress",
    "promote",
    "roll_back",
    "start",
    "versions",
]


def promote(runs: Path, run_id: str, learner: str | None = None) -> Version:
    """Register a finished run's model and make it champion; needs PyTorch, takes seconds.

    Raises:
        UnknownRun, BadSetting, BadState: with one sentence; nothing was registered then.
    """
    from trainer.registry.promotion import promote as make

    return make(runs, run_id, learner)


def next_number(runs: Path, learner: str) -> int:
    """Return the number that a learner's next version will have."""
    return shelf.next_number(runs, model_name(learner))


def roll_back(runs: Path, learner: str, version: int, *, may_load: bool = False) -> Version:
    """Make another version champion, an earlier one or again a later one.

    With `may_load` MLflow follows at once even where no recorder lives, which loads it.

    Raises:
        BadSetting, BadState: with one sentence; the champion is as it was then.
    """
    shelf.choose(runs, model_name(learner), version)
    tracking.catch_up(runs, book.size(runs), may_load=may_load)
    shelf.settle(runs)
    return shelf.get(runs, learner, version)
