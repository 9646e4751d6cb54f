"""The data set that was made last, as far as pages show it: its card and single tickets."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

_SHOWN_CHARACTERS = (90, 210)  # a ticket that fits Home's card


def card(runs: Path) -> dict[str, Any] | None:
    """Return the card of the newest data set, or None while none is made."""
    folder = _newest(runs)
    return _card(folder) if folder else None


def card_of(runs: Path, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the card of a data set whose dials stand as the settings of the same names do."""
    newest_first = sorted(_folders(runs), key=_made_at, reverse=True)
    cards = map(_card, newest_first)
    return next((each for each in cards if each and _stands_as(each, settings)), None)


def ticket(runs: Path, ticket_id: str | None = None) -> dict[str, Any] | None:
    """Return one ticket as it was opened: the named one, else one of a handy length."""
    folder = _newest(runs)
    return _ticket(folder, ticket_id) if folder else None


def _newest(runs: Path) -> Path | None:
    return max(_folders(runs), key=_made_at, default=None)


def _made_at(folder: Path) -> float:
    return (folder / "card.json").stat().st_mtime


def _folders(runs: Path) -> list[Path]:
    """The folders with tickets; what a learner brought has none."""
    found = (path.parent for path in (runs / "data").glob("[!.]*/tickets.jsonl") if path.is_file())
    return [folder for folder in found if (folder / "card.json").is_file()]


def _stands_as(card: dict[str, Any], settings: Mapping[str, Any]) -> bool:
    dials = card.get("dials")
    if not isinstance(dials, dict):
        return False
    return all(settings[name] == dials[name] for name in dials if name in settings)


@lru_cache(maxsize=8)
def _card(folder: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((folder / "card.json").read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


@lru_cache(maxsize=32)
def _ticket(folder: Path, ticket_id: str | None) -> dict[str, Any] | None:
    try:
        with (folder / "tickets.jsonl").open(encoding="utf-8") as lines:
            tickets = (json.loads(line) for line in lines)
            return next((each for each in tickets if _is_wanted(each, ticket_id)), None)
    except (OSError, ValueError, KeyError):
        return None


def _is_wanted(ticket: dict[str, Any], ticket_id: str | None) -> bool:
    if ticket_id is not None:
        return bool(ticket["ticket_id"] == ticket_id)
    low, high = _SHOWN_CHARACTERS
    return low <= len(ticket["text"]) <= high
