"""What no lab could learn from, each with one sentence; nothing is made then."""

from collections import Counter
from collections.abc import Mapping

from trainer.owndata.columns import DATES, Column
from trainer.owndata.reading import Sheet
from trainer.owndata.roles import Roles
from trainer.owndata.said import BadFile, quoted

MOST_CLASSES = 50
FEWEST_ROWS = 50


def of_roles(sheet: Sheet, kinds: Mapping[str, Column], roles: Roles) -> None:
    """Refuse roles that fit neither the sheet nor each other.

    Raises:
        BadFile: with one sentence.
    """
    _of_names(sheet, roles)
    if roles.text and roles.columns:
        raise BadFile("A model here reads either one text or some columns. Choose one of the two.")
    if not roles.read:
        raise BadFile("Nothing is left to read. Choose a text, or one column at least.")
    if roles.label in roles.read:
        name = quoted(roles.label)
        raise BadFile(f"The label {name} cannot be read as well: the model would copy it.")
    for name in roles.read:
        if kinds[name].kind == "empty":
            raise BadFile(f"The column {quoted(name)} is empty in all rows. Leave it out.")
    if roles.time:
        _of_time(kinds[roles.time])


def _of_names(sheet: Sheet, roles: Roles) -> None:
    for name in (roles.label, *roles.read, roles.group, roles.time):
        if name is not None and name not in sheet.names:
            raise BadFile(
                f"This file has no column named {quoted(name)}; it has "
                f"{', '.join(map(quoted, sheet.names))}. Choose one of these."
            )


def _of_time(column: Column) -> None:
    if column.kind in DATES:
        return
    raise BadFile(
        " ".join(column.notes)
        or f"The column {quoted(column.name)} holds no dates that could order the rows: "
        f"{_shown(column)}. Choose another, or none."
    )


def of_classes(counts: "Counter[str]", label: Column, rows: int) -> None:
    """Refuse a label from which nothing can be learned.

    Raises:
        BadFile: with one sentence.
    """
    name, found = quoted(label.name), len(counts)
    if not counts:
        raise BadFile(f"The label {name} is missing in every row. Choose another column.")
    if found == 1:
        raise BadFile(
            f"All {rows:,} rows have the same label {quoted(next(iter(counts)))} in {name}, so "
            f"there is nothing to learn. Choose another column, or add rows of other classes."
        )
    if label.kind == "id":
        raise BadFile(
            f"The label {name} names each row anew, as {_shown(label)}, so no two rows share a "
            f"class. Choose the column that holds the answer."
        )
    if found > MOST_CLASSES:
        what = "Numbers are not estimated here. " if label.kind == "number" else ""
        raise BadFile(
            f"The label {name} has {found:,} different values; a lab takes at most {MOST_CLASSES} "
            f"classes. {what}Choose another column, or put the rare values together."
        )
    if rows < FEWEST_ROWS:
        raise BadFile(
            f"Only {rows:,} rows have a label; a lab needs {FEWEST_ROWS} at least, to learn from "
            f"some and be tested on others. Add rows."
        )


def _shown(column: Column) -> str:
    return ", ".join(map(quoted, column.examples[:2]))
