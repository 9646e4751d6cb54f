"""`python -m labs data`: bring a CSV file, list what was brought, delete it."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from trainer.errors import BadSetting
from trainer.exit_codes import FINISHED
from trainer.learner import LEARNER, LOCAL, refusal
from trainer.owndata import checks, columns, making, reading, standing
from trainer.owndata.roles import Roles
from trainer.runs import runs_folder

_KIND = "correct a guess: text, number, category, id, date_ymd, date_dmy or date_mdy"


def add(commands: Any) -> None:
    """Add `data` with its three commands."""
    words = "bring a CSV file of your own, list or delete what you brought"
    data = commands.add_parser("data", help=words, description=words)
    parts = data.add_subparsers(required=True, metavar="COMMAND")
    brought = _part(parts, "add", _add, "read a CSV file, look it through, make a data set of it")
    brought.add_argument("file", metavar="FILE", type=Path)
    brought.add_argument("--label", required=True, metavar="COL", help="what the model should name")
    brought.add_argument("--text", metavar="COL", help="a text to read")
    brought.add_argument("--columns", default="", metavar="A,B", help="or columns to read")
    brought.add_argument("--group", metavar="COL", help="rows that belong together, for a split")
    brought.add_argument("--time", metavar="COL", help="dates that order the rows, for a split")
    brought.add_argument("--kind", action="append", default=[], metavar="COL=KIND", help=_KIND)
    _part(parts, "list", _list, "show your data sets")
    gone = _part(parts, "delete", _delete, "delete one of your data sets")
    gone.add_argument("hash", metavar="HASH")


def _part(parts: Any, name: str, act: Any, words: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = parts.add_parser(name, help=words, description=words)
    parser.add_argument("--learner", default=LOCAL, metavar="NAME", help="whose data it is")
    parser.add_argument("--json", action="store_true", help="print strict JSON on stdout")
    parser.set_defaults(act=act)
    return parser


def _add(parsed: argparse.Namespace) -> int:
    learner = _learner(parsed)
    with parsed.file.open("rb") as stream:
        sheet = reading.read(stream)
    wanted = columns.corrections(parsed.kind)
    kinds = columns.correct(columns.guess(sheet), wanted)
    names = tuple(name.strip() for name in parsed.columns.split(",") if name.strip())
    roles = Roles(
        label=parsed.label, text=parsed.text, columns=names, group=parsed.group, time=parsed.time
    )
    found = checks.look(sheet, kinds, roles)
    told = (*sheet.notes, *(note for column in kinds for note in column.notes))
    for line in (*told, *checks.sentences(found)):
        print(line, file=sys.stderr)
    source = making.Source(learner=learner, file=parsed.file.name)
    folder = making.make(runs_folder(), sheet, kinds, roles, source)
    if parsed.json:
        print(json.dumps({"data": folder.name, "rows": found.rows, "classes": found.classes}))
    else:
        print(f"{folder.name}  {found.rows:,} rows, {len(found.classes)} classes")
        print(f"Use it: python -m labs run four_brakes --data {folder.name}")
    return FINISHED


def _list(parsed: argparse.Namespace) -> int:
    mine = making.owned(runs_folder(), _learner(parsed))
    if parsed.json:
        shown = [{n: card[n] for n in ("id", "title", "made", "counts", "roles")} for card in mine]
        print(json.dumps(shown))
        return FINISHED
    for card in mine:
        print(f"{card['id']}  {card['counts']['tickets']:>8,} rows  {card['title']}")
    if not mine:
        print("No data of your own yet. Bring some: python -m labs data add FILE --label COL ...")
    return FINISHED


def _delete(parsed: argparse.Namespace) -> int:
    stood = standing.delete(runs_folder(), parsed.hash, _learner(parsed))
    if parsed.json:
        print(json.dumps({"deleted": parsed.hash, "runs": [run.id for run in stood]}))
    else:
        print(f"Deleted {parsed.hash}. {standing.sentence(stood)}")
    return FINISHED


def _learner(parsed: argparse.Namespace) -> str:
    if not LEARNER.fullmatch(parsed.learner):
        raise BadSetting(refusal(parsed.learner))
    return str(parsed.learner)
