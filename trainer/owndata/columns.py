"""What each column of a sheet holds, guessed by rule; a learner may correct every guess."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from trainer.owndata.reading import Sheet
from trainer.owndata.said import BadFile, quoted

Kind = Literal["text", "number", "category", "id", "empty", "date_ymd", "date_dmy", "date_mdy"]
KINDS: dict[Kind, str] = {
    "text": "text",
    "number": "number",
    "category": "category",
    "id": "name of each row",
    "date_ymd": "date, year first",
    "date_dmy": "date, day first",
    "date_mdy": "date, month first",
    "empty": "empty",
}
DATES: dict[str, tuple[str, ...]] = {
    "date_ymd": ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    "date_dmy": ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%y", "%d/%m/%y"),
    "date_mdy": ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y"),
}
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?", "#n/a"})
_TIME = re.compile(r"[T ]([0-2]?\d):([0-5]\d)(:[0-5]\d(\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$")
_DATE_LIKE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{8}")
_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_PLAIN = re.compile(r"[+-]?\d+")
_TEXT_LENGTH, _TEXT_WORDS = 30, 4
_SURE = 0.99  # of the cells must be of the kind; the others count as missing
_FEW = 20  # rows; below it, that all cells differ means nothing


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its kind, how its numbers are written, and what was found in it.

    Attributes:
        missing: cells that say nothing.
        distinct: different values among the others.
        examples: the first few of them.
        notes: sentences on what a learner should know.
    """

    name: str
    kind: Kind
    missing: int
    distinct: int
    examples: tuple[str, ...]
    has_commas: bool = False
    notes: tuple[str, ...] = ()


def guess(sheet: Sheet) -> tuple[Column, ...]:
    """Return what each column seems to hold."""
    return tuple(_guess(sheet, name) for name in sheet.names)


def corrections(pairs: Iterable[str]) -> dict[str, Kind]:
    """Return what `COL=KIND` words correct.

    Raises:
        BadFile: a word is none of these.
    """
    found: dict[str, Kind] = {}
    for pair in pairs:
        name, equals, kind = pair.rpartition("=")
        if not equals or kind not in KINDS:
            raise BadFile(f"{quoted(pair)} is no COL=KIND with a kind of {', '.join(KINDS)}.")
        found[name] = kind
    return found


def correct(found: Sequence[Column], kinds: Mapping[str, Kind]) -> tuple[Column, ...]:
    """Return the columns with the kinds that a learner knows better; other names are left alone."""
    return tuple(
        replace(column, kind=kinds[column.name]) if column.name in kinds else column
        for column in found
    )


def is_missing(cell: str) -> bool:
    """Whether a cell says nothing."""
    return cell.lower() in MISSING


def number(cell: str, *, has_commas: bool = False) -> float | None:
    """Return the number that a cell holds, None where it is none."""
    text = cell.replace("\N{MINUS SIGN}", "-")
    if has_commas and "," in text:
        text = text.replace(".", "").replace(",", ".")
    elif "," in text and _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    try:
        found = float(text)
    except ValueError:
        return None
    return found if abs(found) < 1e30 else None  # NaN and infinity say nothing


def date(cell: str, kind: str) -> datetime | None:
    """Return the point in time that a cell names, None where it is none; zones are left out."""
    time = _TIME.search(cell)
    day = cell[: time.start()] if time else cell
    for pattern in DATES.get(kind, ()):
        try:
            found = datetime.strptime(day, pattern)
        except ValueError:
            continue
        return found.replace(hour=int(time[1]) % 24, minute=int(time[2])) if time else found
    return None


def _guess(sheet: Sheet, name: str) -> Column:
    cells = [cell for cell in sheet[name] if not is_missing(cell)]
    counts = Counter(cells)
    kind, notes = _kind(sheet, name, counts) if cells else ("empty", [])
    has_commas = False
    if kind == "number" and (shown := next((cell for cell in counts if "," in cell), None)):
        has_commas = any("," in cell and not _THOUSANDS.fullmatch(cell) for cell in counts)
        what = "are decimal commas" if has_commas else "part thousands"
        notes.append(f"The commas in {quoted(name)} {what}, as in {quoted(shown)}.")
    formulas = sum(count for cell, count in counts.items() if _is_formula(cell))
    if formulas:
        notes.append(
            f"{formulas:,} cells of {quoted(name)} begin like a formula; they are kept as text and "
            f"nothing computes them."
        )
    return Column(
        name=name,
        kind=kind,
        missing=len(sheet) - len(cells),
        distinct=len(counts),
        examples=tuple(list(counts)[:3]),
        has_commas=has_commas,
        notes=tuple(notes),
    )


def _kind(sheet: Sheet, name: str, counts: "Counter[str]") -> tuple[Kind, list[str]]:
    if all(_DATE_LIKE.fullmatch(cell) for cell in counts):
        found = _date_kind(sheet, name, list(counts))
        if found:
            return found
    total = counts.total()
    numbers = sum(count for cell, count in counts.items() if _is_number(cell))
    if numbers == total:
        return ("id" if _counts_rows(counts) else "number"), []
    if numbers >= _SURE * total:
        odd = next(cell for cell in counts if not _is_number(cell))
        told = f"Some cells of {quoted(name)} are no numbers, as {quoted(odd)}; they say nothing."
        return "number", [told]
    return _words_kind(counts), []


def _date_kind(sheet: Sheet, name: str, cells: list[str]) -> tuple[Kind, list[str]] | None:
    fits = [kind for kind in DATES if all(date(cell, kind) for cell in cells)]
    if fits:
        notes = []
        if len(fits) > 1:
            notes = [f"The dates of {quoted(name)} fit day first and month first; day first is "
                     f"taken. Correct it if the month comes first."]  # fmt: skip
        return fits[0], notes  # type: ignore[return-value]
    by_kind = {kind: next((c for c in cells if date(c, kind)), None) for kind in DATES}
    found = {kind: cell for kind, cell in by_kind.items() if cell is not None}
    if not found:
        return None
    where = sheet[name].index
    told = ", ".join(
        f"{quoted(c)} on {sheet.place(where(c))}" for c in dict.fromkeys(found.values())
    )
    return "category", [
        f"The dates of {quoted(name)} are written in different ways: {told}. Write them all in "
        f"one, best as 2026-11-30, if they are to order the rows."
    ]


def _words_kind(counts: "Counter[str]") -> Kind:
    total, distinct = counts.total(), len(counts)
    words = sum(len(cell.split()) * count for cell, count in counts.items()) / total
    length = sum(len(cell) * count for cell, count in counts.items()) / total
    is_varied = distinct > 0.2 * total or distinct > 1000
    if is_varied and (words >= _TEXT_WORDS or (length > _TEXT_LENGTH and words > 1)):
        return "text"
    if distinct == total and total >= _FEW and words < 1.5:
        return "id"
    return "category"


def _counts_rows(counts: "Counter[str]") -> bool:
    """Whether the column holds whole numbers that only number the rows, without a gap."""
    if counts.total() != len(counts) or len(counts) < _FEW:
        return False
    if not all(map(_PLAIN.fullmatch, counts)):
        return False
    whole = [int(cell) for cell in counts]
    return max(whole) - min(whole) < 2 * len(whole) and whole == sorted(whole)


def _is_number(cell: str) -> bool:
    return number(cell) is not None or _COMMA.fullmatch(cell) is not None


def _is_formula(cell: str) -> bool:
    return cell[0] in "=@" or (cell[0] in "+-" and not _is_number(cell))


def clean(cell: str) -> str:
    """Return the cell, empty where it says nothing."""
    return "" if is_missing(cell) else cell
