"""What a learner's own data set cannot give, said from its card alone."""

from collections.abc import Mapping
from typing import Any

from trainer.owndata.checks import FEWEST_GROUPS

_ALWAYS = {
    "ceiling": "No ceiling is drawn: nobody knows how good a model of your data can be.",
    "dials": "Habit, wrong labels and late column are for the synthetic tickets; yours have none.",
    "cut_hedges": "Your rows have no frames of hedges, so there is no arm cut hedges.",
}
_NO_WORDS = "Your columns hold no words to leave out, so there is no arm augmentation."
_NO_GROUPS = "Without a column of ten groups or more there is no split by group."
_NO_TIME = "Without a column of dates there is no split by time."


def has_words(card: Mapping[str, Any]) -> bool:
    """Whether the rows are texts."""
    return bool(card["roles"]["text"])


def has_groups(card: Mapping[str, Any]) -> bool:
    """Whether there are groups enough to put some of them aside."""
    return int(card["counts"]["devices"]) >= FEWEST_GROUPS


def has_time(card: Mapping[str, Any]) -> bool:
    """Whether time orders the rows."""
    return bool(card["roles"]["time"])


def of(card: Mapping[str, Any]) -> dict[str, str]:
    """The settings and arms for which the data set gives nothing, each with a sentence."""
    return (
        _ALWAYS
        | ({} if has_words(card) else {"augmentation": _NO_WORDS})
        | ({} if has_groups(card) else {"device": _NO_GROUPS})
        | ({} if has_time(card) else {"month": _NO_TIME})
    )
