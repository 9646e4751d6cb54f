"""Where a lab begins that takes up stage 2's model: its training once more, or on from its end."""

from typing import Any

from trainer.setting import choice

AFRESH, TRAINED = "afresh", "trained"
BEGINNINGS = {AFRESH: "Stage 2's training once more", TRAINED: "On from its trained weights"}


def beginning() -> Any:
    """Return the setting; it counts only where a run has a parent."""
    return choice(
        AFRESH,
        BEGINNINGS,
        label="Begin with",
        help="Where a model of stage 2 is used.",
        advanced=True,
    )
