"""The lines no model can pass: as the run computed them, before it as the data set's card does."""

from typing import Any

from trainer.runs import Run, runs_folder
from ui import desk
from ui.curve import Ceiling

_HABIT = "habit"  # the dial that sets apart devices a model knows from new ones


def of_run(run: Run) -> list[Ceiling]:
    """Return the ceilings of a run's own data set."""
    sent = run.record.samples.get("ceiling")
    lines = sent if isinstance(sent, list) else [sent] if isinstance(sent, dict) else []
    return [_line(line["value"], line["label"]) for line in lines]


def expected(settings: dict[str, Any]) -> list[Ceiling]:
    """Return those of the tickets that these settings ask for, where such tickets are made."""
    if _HABIT not in settings:
        return []
    card = desk.card_of(runs_folder(), settings)
    inputs = "words" if settings.get("words") else "alarms"
    found = [each for each in (card or {}).get("ceilings", ()) if each["inputs"] == inputs]
    return [
        _line(
            each["recorded"],
            f"{each['label']}, {'known' if each['knows_device'] else 'new'} devices",
        )
        for each in found
    ]


def _line(value: object, label: object) -> Ceiling:
    return Ceiling(value=float(str(value)), label=str(label), origin="C")
