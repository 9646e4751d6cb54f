"""A learner's own data set as labs read it: rows, classes, groups, months; and how it is split.

It stands where a `Desk` of the Alarm Desk stands; `trainer.tables` gives both one face. Whatever is
fitted is fitted on the rows that the caller names. Legend: N rows, F columns.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from trainer.datasets.splits import Split
from trainer.owndata import encoding, lacks
from trainer.owndata.encoding import Field

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
ROWS, TABLE, CARD = "rows.jsonl", "columns.npy", "card.json"
ASIDE, VALIDATION = 0.2, 0.2  # shares of all rows, and of those that are left
_GROUPS_ASIDE = 0.3
_LEAST = 0.05  # of all rows in each part
FEWEST_GROUPS = 10
MOST_GROUPS = 300  # that get a column of their own


@dataclass(frozen=True)
class OwnDesk:
    """Rows that a learner brought.

    Attributes:
        folder: where the data set lies.
        card: what is known of it; no ceiling is.
        causes: class names; labels are places in it.
        recorded, device, month: (N,) class, group, and place in the order of time; 0 where the data
            set has no groups or no time.
        alarm_names: none; the name stands here because kept models of the Alarm Desk have some.
        chosen: which rows of the folder these are; all of them where it is None.
    """

    folder: Path
    card: dict[str, Any]
    causes: tuple[str, ...]
    recorded: Ints
    device: Ints
    month: Ints
    alarm_names: tuple[str, ...] = ()
    chosen: Ints | None = None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.recorded)

    @property
    def has_words(self) -> bool:
        """Whether the rows are texts."""
        return lacks.has_words(self.card)

    @property
    def has_groups(self) -> bool:
        """Whether there are groups enough to put some of them aside."""
        return lacks.has_groups(self.card)

    @property
    def has_time(self) -> bool:
        """Whether time orders the rows."""
        return lacks.has_time(self.card)

    @cached_property
    def cells(self) -> tuple[list[str], ...]:
        """What is read of each row, as texts."""
        with (self.folder / ROWS).open("rb") as lines:
            rows = [orjson.loads(line) for line in lines]
        return tuple(rows if self.chosen is None else (rows[at] for at in self.chosen.tolist()))

    def take(self, rows: Ints) -> "OwnDesk":
        """These rows alone."""
        recorded, device, month = (each[rows] for each in (self.recorded, self.device, self.month))
        return replace(self, recorded=recorded, device=device, month=month, chosen=rows)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each row as an endpoint would be asked it: its text, or its columns in words."""
        if self.has_words:
            return tuple(row[0] for row in self.cells)
        names = self.card["roles"]["columns"]
        return tuple(encoding.as_pairs(names, row) for row in self.cells)

    def fields(self, rows: Ints) -> tuple[Field, ...]:
        """How the columns are read, fitted on these rows; none where the rows are texts."""
        if self.has_words:
            return ()
        kinds = self.card["columns"]
        most = encoding.MOST_COLUMNS // len(kinds)
        return tuple(
            encoding.fit(
                kind["name"],
                self._column(place, rows),
                is_number=kind["kind"] == "number",
                has_commas=kind["has_commas"],
                most=most,
            )
            for place, kind in enumerate(kinds)
        )

    def columns(self, fields: Sequence[Field], rows: Ints | None = None) -> Floats:
        """The columns (N, F) that a model reads of these rows, of all by default."""
        wanted = np.arange(len(self)) if rows is None else rows
        table = {field.name: self._column(at, wanted) for at, field in enumerate(fields)}
        return encoding.encode(fields, table, len(wanted))

    def group_columns(self) -> Floats:
        """A column for each of the largest groups (N, F), 1 where a row belongs to it."""
        largest = np.argsort(-np.bincount(self.device), kind="stable")[:MOST_GROUPS]
        table: Floats = (self.device[:, None] == largest).astype(np.float32)
        return table

    def split(self, by: str, seed: int) -> Split:
        """The rows split by "row", "device" (its groups) or "month" (its time).

        By row and by device the same groups are put aside; without groups the latest rows are, and
        without time as well a random fifth.
        """
        random = np.random.default_rng([seed, 1])
        if by == "month":
            late, left = self._late(np.arange(len(self)), ASIDE)
            validation, train = self._late(left, VALIDATION)
            return Split(train, validation, late)
        aside = self._aside(random)
        pool = np.flatnonzero(~aside)
        keys = self.device if by == "device" else np.arange(len(self))
        held = random.permutation(np.unique(keys[pool]))
        held = held[: max(1, round(VALIDATION * len(held)))]
        validates = np.isin(keys[pool], held)
        return Split(pool[~validates], pool[validates], np.flatnonzero(aside))

    def _aside(self, random: np.random.Generator) -> NDArray[np.bool_]:
        if self.has_groups:
            groups = random.permutation(np.unique(self.device))
            return np.isin(self.device, groups[: round(_GROUPS_ASIDE * len(groups))])
        aside = np.zeros(len(self), dtype=bool)
        if self.has_time:
            aside[self._late(np.arange(len(self)), ASIDE)[0]] = True
        else:
            aside[random.permutation(len(self))[: round(ASIDE * len(self))]] = True
        return aside

    def _late(self, rows: Ints, share: float) -> tuple[Ints, Ints]:
        return latest(self.month, rows, share)

    def _column(self, place: int, rows: Ints) -> list[str]:
        return [self.cells[row][place] for row in rows.tolist()]


def latest(times: Ints, rows: Ints, share: float) -> tuple[Ints, Ints]:
    """The latest of the rows and the others; rows of one moment stay together."""
    first = np.quantile(times[rows], 1 - share, method="higher")
    return rows[times[rows] >= first], rows[times[rows] < first]


def splits(groups: Ints, times: Ints) -> list[str]:
    """The ways to split rows in which no part is left with next to nothing."""
    sizes = np.bincount(groups)
    late, left = latest(times, np.arange(len(times)), ASIDE)
    parts = [late, *latest(times, left, VALIDATION)] if len(left) else [left]
    by_group = len(sizes) >= FEWEST_GROUPS and sizes.max() <= len(groups) / 2
    by_time = min(map(len, parts)) >= _LEAST * len(times)
    return ["row", *(["device"] if by_group else []), *(["month"] if by_time else [])]


def load(folder: Path) -> OwnDesk:
    """The data set in a folder that `making` wrote.

    Raises:
        ValueError: the folder holds none.
    """
    try:
        card = json.loads((folder / CARD).read_bytes())
        table = np.load(folder / TABLE, allow_pickle=False)
    except OSError as error:
        raise ValueError(f"{folder.name} holds no data set") from error
    recorded, device, month = table.T
    return OwnDesk(folder, card, tuple(card["causes"]), recorded, device, month)
