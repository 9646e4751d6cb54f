"""Reads a CSV file line by line within limits; every refusal is one sentence a learner can act on.

Encoding and separator are found by rule. A limit is checked when the line that passes it is read,
so a file of any size costs no more than what may be kept.
"""

import csv
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, BinaryIO

from trainer.owndata import encodings, lines
from trainer.owndata.said import BadFile, quoted

MOST_ROWS = 200_000
MOST_COLUMNS = 200
MOST_CHARACTERS = 8_000  # of one cell; the endpoint takes texts of the same length
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SAMPLE_LINES = 20


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table of texts, cell for cell as the file holds them, without spaces around.

    Attributes:
        names: of the columns.
        columns: the cells of each column, from the first row on.
        lines: the line of the file on which each row ends.
        notes: sentences about how the file was read.
    """

    names: tuple[str, ...]
    columns: tuple[list[str], ...]
    lines: list[int]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.lines)

    def __getitem__(self, name: str) -> list[str]:
        """The cells of the column with that name."""
        return self.columns[self.names.index(name)]

    def place(self, row: int) -> str:
        """Where a row stands in the file, for a sentence."""
        return f"line {self.lines[row]:,}"


def read(stream: BinaryIO) -> Sheet:
    """Return the table of a CSV file; the stream is read from its start and no further than needed.

    Raises:
        BadFile: with one sentence.
    """
    stream.seek(0)
    head = stream.read(lines.CHUNK)
    if not head.strip():
        raise BadFile("The file is empty: it holds no line of names and no row.")
    if foreign := encodings.foreign(head):
        raise BadFile(foreign)
    encoding = encodings.guess(head)
    try:
        return _read(stream, encoding)
    except encodings.Broken as broken:
        if encoding != "utf-8":
            raise BadFile(str(broken)) from broken
    try:
        return _read(stream, encodings.WINDOWS)
    except encodings.Broken as broken:
        raise BadFile(str(broken)) from broken


def _read(stream: BinaryIO, encoding: str) -> Sheet:
    rest = lines.read(stream, encoding)
    sample = list(islice(rest, _SAMPLE_LINES))
    notes = encodings.notes(encoding)
    said = _said_separator(sample)
    if said:
        notes.append("The first line, sep=, names the separator, as Excel writes it.")
    separator = said or _separator(sample)
    if separator != ",":
        notes.append(f"The cells are separated by {SEPARATORS[separator]}.")
    rows = csv.reader(chain(sample, rest), delimiter=separator)
    if said:
        next(rows)
    return _collect(rows, tuple(notes))


def _collect(rows: Any, notes: tuple[str, ...]) -> Sheet:
    names = _names(_next(rows))
    columns: tuple[list[str], ...] = tuple([] for _ in names)
    ends: list[int] = []
    same: dict[str, str] = {}  # each text once, however often it stands there
    while (cells := _next(rows)) is not None:
        if not any(cell.strip() for cell in cells):
            continue
        _check(cells, names, len(ends), rows.line_num)
        for column, cell in zip(columns, cells, strict=True):
            text = cell.strip()
            column.append(same.setdefault(text, text))
        ends.append(rows.line_num)
    if not ends:
        raise BadFile("The file holds the names of columns and no row below them.")
    return Sheet(names=names, columns=columns, lines=ends, notes=notes)


def _next(rows: Any) -> list[str] | None:
    """Return the cells of the next row, None at the end."""
    try:
        return next(rows, None)
    except csv.Error as error:
        raise BadFile(
            f"On line {rows.line_num:,} or before, a quote is opened and never closed, so that one "
            f"cell would hold all that follows. Close the quote or double it."
        ) from error


def _names(cells: list[str] | None) -> tuple[str, ...]:
    names = tuple(cell.strip() for cell in cells or [])
    if len(names) > MOST_COLUMNS:
        raise BadFile(
            f"The first line names {len(names):,} columns; at most {MOST_COLUMNS} are read. "
            f"Leave out the columns that the labs need not see."
        )
    if len(names) < 2:
        raise BadFile(
            "Only one column was found, and a lab needs two at least: what to read and the label. "
            "The cells may be separated by commas, semicolons or tabs."
        )
    for place, name in enumerate(names, 1):
        if not name:
            raise BadFile(f"Column {place} has no name in the first line. Give it one.")
        if names.index(name) < place - 1:
            raise BadFile(f"Two columns are named {quoted(name)}. Give each a name of its own.")
    if all(_is_number(name) for name in names):
        raise BadFile(
            "The first line holds numbers only, but it must name the columns. Put a line of names "
            "above the rows."
        )
    return names


def _check(cells: list[str], names: tuple[str, ...], rows: int, line: int) -> None:
    if rows >= MOST_ROWS:
        raise BadFile(
            f"The file holds more than {MOST_ROWS:,} rows; reading ended on line {line:,}. Draw "
            f"some of the rows at random and take those."
        )
    if len(cells) != len(names):
        raise BadFile(
            f"The row on line {line:,} has {_cells(len(cells))}, but the first line names "
            f"{len(names)} columns. A text that holds the separator must stand in quotes, and "
            f"each quote must be closed."
        )
    longest = max(range(len(cells)), key=lambda place: len(cells[place]))
    if len(cells[longest]) > MOST_CHARACTERS:
        raise BadFile(
            f"The cell in column {quoted(names[longest])} on line {line:,} has "
            f"{len(cells[longest]):,} characters; at most {MOST_CHARACTERS:,} are read. Shorten "
            f"it, or close a quote that stands open."
        )


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def _said_separator(sample: list[str]) -> str | None:
    """Return the separator that a first line `sep=;` names."""
    first = sample[0].strip("\r\n").lower() if sample else ""
    return first[4] if len(first) == 5 and first[:4] == "sep=" and first[4] in SEPARATORS else None


def _separator(sample: list[str]) -> str:
    """Return what cuts the first lines into as many cells each; commas where nothing does."""

    def fits(separator: str) -> tuple[int, int]:
        try:
            widths = [len(row) for row in csv.reader(sample, delimiter=separator) if row]
        except csv.Error:
            return 0, 0
        first = widths[0] if widths else 0
        return (sum(width == first for width in widths) if first > 1 else 0), first

    return max(SEPARATORS, key=fits)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True
