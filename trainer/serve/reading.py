"""A ticket as the columns that a kept model was trained on, by what stands beside its weights.

The columns are those of `trainer.datasets.features.alarm_features(device=False)`, then the words.
What a ticket does not say is filled in so:

- alarms: without any given, those that the text names, as tickets of the Alarm Desk do;
- time of the day: noon;
- age and season: the middle of the two years, and no season at all (0, 0), which is the mean of all
  tickets.

A model of a learner's own data reads a text as its words; one that learned from columns reads them
in words, `speed=3; site=north`, and what is not named stands at its mean or at no value.

Legend: N tickets, F columns.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from trainer.datasets.words import Vocabulary
from trainer.datasets.world import MONTHS, calendar_month
from trainer.owndata import encoding
from trainer.owndata.encoding import Field

Floats = NDArray[np.float32]
MOST_CHARACTERS = 8_000  # of one text; tickets of the Alarm Desk have at most some 600
_DAY_S = 86_400
_BESIDE = 5  # columns between alarms and words: number of alarms, time of day, age, season (2)
_NAME = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class Reading:
    """The words, alarms and causes of one version; of a learner's own data the columns instead."""

    vocabulary: Vocabulary
    alarms: tuple[str, ...]
    causes: tuple[str, ...]
    fields: tuple[Field, ...] = ()
    is_own: bool = False

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self:
        """Build from the values of a version's `config.json`.

        Raises:
            ValueError: something is missing or is no list of names.
        """
        try:
            words, alarms, causes = (
                _names(config[name]) for name in ("vocabulary", "alarms", "causes")
            )
        except KeyError as error:
            raise ValueError(f"config.json describes no model of tickets: no {error}") from error
        is_own = config.get("origin") == "own"
        fields = tuple(Field.of(one) for one in config.get("columns", ()))
        return cls(Vocabulary(words), alarms, causes, fields, is_own)

    @property
    def width(self) -> int:
        """Number of columns F."""
        if self.is_own:
            return sum(field.width for field in self.fields) + len(self.vocabulary)
        return len(self.alarms) + _BESIDE + len(self.vocabulary)

    def columns(
        self,
        texts: Sequence[str],
        alarms: Sequence[Sequence[str] | None] | None = None,
        seconds: Sequence[int] | None = None,
        months: Sequence[int] | None = None,
    ) -> Floats:
        """Return the columns (N, F); whatever is None is filled in as the module says.

        Args:
            texts: what the tickets say.
            alarms: of each ticket the names of its alarms, in any order, or None.
            seconds: of the day, 0 to 86,399.
            months: month of the Alarm Desk's two years, 0 to 23.

        Raises:
            ValueError: a text is too long, an alarm unknown, or a time out of its range.
        """
        if any(len(text) > MOST_CHARACTERS for text in texts):
            raise ValueError(f"a text has more than {MOST_CHARACTERS} characters")
        if self.is_own:
            if any(alarms or ()) or (seconds, months) != (None, None):
                raise ValueError("this model learned from a learner's own data: give the text only")
            return self._own(texts)
        told = alarms or [None] * len(texts)
        table = np.zeros((len(texts), self.width), np.float32)
        count = len(self.alarms)
        for row, (text, names) in enumerate(zip(texts, told, strict=True)):
            names = self.named(text) if names is None else names
            table[row, [self._place(name) for name in names]] = 1
        table[:, count] = table[:, :count].sum(axis=1, dtype=np.float64) / 5
        table[:, count + 1] = 0.5 if seconds is None else _within(seconds, _DAY_S - 1) / _DAY_S
        table[:, count + 2 : count + _BESIDE] = _times(months)
        table[:, count + _BESIDE :] = self.vocabulary.encode(texts).dense(len(self.vocabulary))
        return table

    def _own(self, texts: Sequence[str]) -> Floats:
        """A text as its words; where the model reads columns, the text names them."""
        if not self.fields:
            return self.vocabulary.encode(texts).dense(len(self.vocabulary))
        names = [field.name for field in self.fields]
        rows = [encoding.read_pairs(text, names) for text in texts]
        table = {name: [row.get(name, "") for row in rows] for name in names}
        return encoding.encode(self.fields, table, len(texts))

    def named(self, text: str) -> list[str]:
        """Return the alarms whose names stand in a text."""
        return [word for word in _NAME.findall(text) if word in self._places]

    def _place(self, name: str) -> int:
        if name not in self._places:
            near = ", ".join(get_close_matches(name[:60], self.alarms, 3, 0.0))
            raise ValueError(f"there is no alarm {name[:60]!r}; the nearest are {near}")
        return self._places[name]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.alarms)}


def _times(months: Sequence[int] | None) -> Floats:
    """Age and season (N, 3), or (3,) where nobody told the month."""
    if months is None:
        return np.array([0.5, 0, 0], np.float32)
    month = _within(months, MONTHS - 1)
    season = 2 * math.pi * calendar_month(month) / 12
    columns = [month / (MONTHS - 1), np.sin(season), np.cos(season)]
    return np.stack(columns, axis=1).astype(np.float32)


def _within(values: Sequence[int], most: int) -> NDArray[Any]:
    array = np.asarray(values)
    if ((array < 0) | (array > most)).any():
        raise ValueError(f"second or month must lie between 0 and {most}")
    return array


def _names(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(type(value) is str for value in values):
        raise ValueError("config.json: vocabulary, alarms and causes must be lists of names")
    return tuple(values)
