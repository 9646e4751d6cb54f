"""What a learner's own data set cannot give, said from its card alone."""

from collections.abc import Mapping
from typing import Any

_ALWAYS = {
    "ceiling": "No ceiling is drawn: nobody knows how good a model of your data can be.",
    "dials": "Habit, wrong labels and late column are for the synthetic tickets; yours have none.",
    "cut_hedges": "Your rows have no frames of hedges, so there is no arm cut hedges.",
}
_NO_WORDS = "Your columns hold no words to leave out, so there is no arm augmentation."
_NO_GROUPS = (
    "Without a column of ten groups or more, none of them half of the rows, there is no split by "
    "group."
)
_NO_TIME = "Without a column of dates that spread over the rows there is no split by time."


def has_words(card: Mapping[str, Any]) -> bool:
    """Whether the rows are texts."""
    return bool(card["roles"]["text"])


def has_groups(card: Mapping[str, Any]) -> bool:
    """Whether some of the groups can be put aside."""
    return "device" in card["splits"]


def has_time(card: Mapping[str, Any]) -> bool:
    """Whether time orders the rows finely enough to cut them by it."""
    return "month" in card["splits"]


def of(card: Mapping[str, Any]) -> dict[str, str]:
    """The settings and arms for which the data set gives nothing, each with a sentence."""
    return (
        _ALWAYS
        | ({} if has_words(card) else {"augmentation": _NO_WORDS})
        | ({} if has_groups(card) else {"device": _NO_GROUPS})
        | ({} if has_time(card) else {"month": _NO_TIME})
    )
