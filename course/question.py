"""One question of the bank: its parts, and the order in which its options are shown."""

import random
import re
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from course.lesson import ObjectiveNumber
from course.record import Id, Record, Some, Text

_NUMERIC = re.compile(r"(?:about )?(?P<number>\d[\d,]*(?:\.\d+)?)")


# The row of the coverage that asks for all objectives: whatever is asked counts for it.
EVERY_OBJECTIVE = 56


class Option(Record):
    """One thing to choose, and why it is right or wrong."""

    text: Text
    why: Text

    @property
    def number(self) -> float | None:
        """The number it starts with, as in "140 GB"; None where it starts with a word."""
        match = _NUMERIC.match(self.text)
        return float(match["number"].replace(",", "")) if match else None


class Exhibit(Record):
    """Something small to read before answering: log lines, rows of a table, a script."""

    kind: Literal["log", "table", "script"]
    text: Text


class Question(Record):
    """What is asked, what is right, what is wrong, and the reason of each.

    `recall` asks for what a thing is or does; `scenario` tells a case in which one constraint
    decides; `exhibit` wants something worked out, from a number in the stem or from the exhibit.
    """

    id: Annotated[str, Field(pattern=r"^[123]\.\d{1,2}-\d{2}$")]
    objective: ObjectiveNumber
    covers: Some[Annotated[int, Field(ge=1)]]
    kind: Literal["single", "multiple"]
    form: Literal["recall", "scenario", "exhibit"]
    exhibit: Exhibit | None = None
    stem: Text
    answers: Some[Option]
    distractors: Some[Option]
    explanation: Text
    difficulty: Annotated[int, Field(ge=1, le=3)]
    sources: Some[Id]
    checked: date
    generation: Text | None = None
    lab: Id | None = None

    @model_validator(mode="after")
    def _has_its_options(self) -> Self:
        right, wrong = len(self.answers), len(self.distractors)
        if self.kind == "single" and (right, wrong) != (1, 3):
            raise ValueError(f"single takes 1 answer and 3 distractors, here {right} and {wrong}")
        if self.kind == "multiple" and not (right in (2, 3) and wrong in (2, 3, 4)):
            raise ValueError(f"multiple takes 2 or 3 answers and 2 to 4 distractors, here {right}")
        if self.exhibit and self.form != "exhibit":
            raise ValueError("an exhibit makes the form: exhibit")
        if len({option.text.lower() for option in self.options}) != len(self.options):
            raise ValueError("two options are the same")
        return self

    @property
    def options(self) -> tuple[Option, ...]:
        """The answers, then the distractors: the order of the file, not one to show."""
        return self.answers + self.distractors

    @property
    def is_numeric(self) -> bool:
        """Whether every option starts with a number."""
        return all(option.number is not None for option in self.options)

    def shown(self, seed: int) -> tuple[Option, ...]:
        """The options as a learner sees them: numbers by size, others shuffled by the seed."""
        if self.is_numeric:
            return tuple(sorted(self.options, key=lambda option: option.number or 0.0))
        shuffled = list(self.options)
        random.Random(f"{seed}/{self.id}").shuffle(shuffled)
        return tuple(shuffled)


class Bank(Record):
    """All questions, by id and in the order of the objectives."""

    questions: dict[str, Question]

    def of(self, objective: str) -> tuple[Question, ...]:
        """The questions of one objective."""
        return tuple(each for each in self.questions.values() if each.objective == objective)

    @property
    def covering(self) -> dict[str, tuple[int, ...]]:
        """For each objective that has questions the rows of the coverage that they cover."""
        rows: dict[str, set[int]] = {}
        for each in self.questions.values():
            rows.setdefault(each.objective, {EVERY_OBJECTIVE}).update(each.covers)
        return {objective: tuple(sorted(found)) for objective, found in rows.items()}
