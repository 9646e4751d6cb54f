"""`python -m labs promote` and `python -m labs champion`: the registry from a terminal."""

import argparse
import json
from typing import Any

from trainer import registry
from trainer.exit_codes import FINISHED
from trainer.learner import LOCAL
from trainer.registry import Version
from trainer.runs import runs_folder

PROMOTE = "register a finished run's model and make it champion"
CHAMPION = "say which version is champion, or make another one champion"


def add(command: Any) -> None:
    """Add the two commands; `command(name, act, words)` gives the parser of a new one."""
    promote = command("promote", _promote, PROMOTE)
    promote.add_argument("run", metavar="RUN")
    promote.add_argument("--learner", help="the run's own learner, if not given")
    champion = command("champion", _champion, CHAMPION)
    champion.add_argument("version", metavar="VERSION", nargs="?", type=int)
    champion.add_argument("--learner", default=LOCAL)


def _promote(parsed: argparse.Namespace) -> int:
    return _print(registry.promote(runs_folder(), parsed.run, parsed.learner), parsed)


def _champion(parsed: argparse.Namespace) -> int:
    runs, learner = runs_folder(), parsed.learner
    if parsed.version is not None:
        return _print(registry.roll_back(runs, learner, parsed.version, may_load=True), parsed)
    found = registry.champion(runs, learner)
    if found is not None:
        return _print(found, parsed)
    name = registry.model_name(learner)
    if parsed.json:
        print(json.dumps(None))
    else:
        print(f"{name} has no champion yet. Register a run: python -m labs promote RUN")
    return FINISHED


def _print(version: Version, parsed: argparse.Namespace) -> int:
    if parsed.json:
        print(json.dumps(summary(version), allow_nan=False))
        return FINISHED
    accuracy = "" if version.accuracy is None else f", {version.accuracy:.3f} right on test tickets"
    word = "champion" if version.is_champion else "not champion"
    print(f"{version.model} version {version.number} ({word}): run {version.run}{accuracy}")
    return FINISHED


def summary(version: Version) -> dict[str, Any]:
    """Return a version as scripts get it."""
    card = version.card
    return {
        "model": version.model,
        "version": version.number,
        "champion": version.is_champion,
        "run": version.run,
        "metrics": {name: found["value"] for name, found in card["metrics"].items()},
        "data": card["data"]["id"],
        "parent": card["parent"],
        "export": card["export"],
        "date": card["date"],
        "path": str(version.path),
    }
