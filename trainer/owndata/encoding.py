"""Cells as the columns that a model reads; the same here, in a run and at the endpoint.

A number is standardised with mean and deviation of the training rows; one that is missing stands at
the mean. A category is a 1 in the column of its value; values that training did not see often
enough, and missing ones, have none. Legend: N rows, F columns.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from trainer.owndata import columns

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
MOST_VALUES = 50  # of one category that get a column of their own
MOST_COLUMNS = 1000  # that a model reads in all
_FAR = 10.0  # deviations; what lies further is cut, so that one slip of a pen rules no sum
_PAIR = re.compile(r"\s*([^=;]+?)\s*=\s*([^;]*?)\s*(?:;|$)")


@dataclass(frozen=True, kw_only=True)
class Field:
    """How one column of the table becomes columns of the model.

    Attributes:
        values: what a category may be; empty for a number.
        mean, deviation: of a number's training rows.
        has_commas: whether its numbers are written with decimal commas.
    """

    name: str
    values: tuple[str, ...] = ()
    mean: float = 0.0
    deviation: float = 1.0
    has_commas: bool = False

    @property
    def width(self) -> int:
        """Columns of the model."""
        return max(1, len(self.values))

    def encode(self, cells: Sequence[str]) -> Floats:
        """Return the model's columns (N, width) of these cells."""
        if self.values:
            places = {value: place for place, value in enumerate(self.values)}
            table = np.zeros((len(cells), len(self.values)), np.float32)
            for row, cell in enumerate(cells):
                if (place := places.get(cell)) is not None:
                    table[row, place] = 1
            return table
        found = [columns.number(cell, has_commas=self.has_commas) for cell in cells]
        numbers = np.array([self.mean if one is None else one for one in found], np.float64)
        scaled = ((numbers - self.mean) / self.deviation).clip(-_FAR, _FAR)
        return scaled.astype(np.float32)[:, None]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Build from what `as_dict` gave.

        Raises:
            ValueError: it is no field.
        """
        try:
            field = cls(**{**values, "values": tuple(values["values"])})
            is_sound = isinstance(field.name, str) and all(type(v) is str for v in field.values)
            if not is_sound or not field.deviation > 0 or not np.isfinite(field.mean):
                raise ValueError("a column is badly described")
        except (KeyError, TypeError) as error:
            raise ValueError(f"a column is badly described: {error}") from error
        return field

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self) | {"values": list(self.values)}


def fit(
    name: str,
    cells: Sequence[str],
    *,
    is_number: bool,
    has_commas: bool = False,
    most: int = MOST_VALUES,
) -> Field:
    """Return how a column is read, fitted on these cells: give it those of training rows only."""
    if is_number:
        found = [columns.number(cell, has_commas=has_commas) for cell in cells]
        numbers = np.array([one for one in found if one is not None] or [0.0], np.float64)
        deviation = float(numbers.std()) or 1.0
        mean = float(numbers.mean())
        return Field(name=name, mean=mean, deviation=deviation, has_commas=has_commas)
    counts = Counter(cell for cell in cells if not columns.is_missing(cell))
    ranked = sorted((-count, value) for value, count in counts.items())
    kept = [value for _, value in ranked[: min(MOST_VALUES, most)]]
    return Field(name=name, values=tuple(kept) or ("",))


def encode(fields: Sequence[Field], table: Mapping[str, Sequence[str]], rows: int) -> Floats:
    """Return the model's columns (N, F) of a table; a name that is not there says nothing."""
    blank = [""] * rows
    blocks = [field.encode(table.get(field.name, blank)) for field in fields]
    return np.concatenate(blocks, axis=1) if blocks else np.zeros((rows, 0), np.float32)


def as_pairs(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return one row in words, as an endpoint takes it: `speed=3; site=north`."""
    pairs = zip(map(_sayable, names), cells, strict=True)
    return "; ".join(f"{name}={cell}".replace(";", ",") for name, cell in pairs)


def read_pairs(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the cells that a row in words names.

    Raises:
        ValueError: a name belongs to no column, or nothing is named.
    """
    known = {_sayable(name): name for name in names}
    found = {match[1]: match[2] for match in _PAIR.finditer(text)}
    for name in found:
        if name not in known:
            raise ValueError(f"there is no column {name!r}; known are {', '.join(known)}")
    if not found:
        raise ValueError(f"this model reads columns: write {next(iter(known))}=...; and so on")
    return {known[name]: cell for name, cell in found.items()}


def _sayable(name: str) -> str:
    """A column's name without the signs that part names and cells."""
    return " ".join(name.replace("=", " ").replace(";", " ").split())
