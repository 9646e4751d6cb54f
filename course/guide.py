"""A guide as a type: what one objective of the exam asks for, to read before the questions."""

from datetime import date
from typing import Annotated

from pydantic import Field

from course.lesson import ObjectiveNumber, PictureKind
from course.record import Id, Listed, Record, Some, Text


class GuideFigure(Record):
    """A picture drawn from a fact table.

    `data` is the table's name in `facts/`; behind a dot may stand the column that is drawn.
    """

    kind: PictureKind
    data: Annotated[str, Field(pattern=r"^[a-z_]+(\.[a-z0-9_]+)?$")]
    alt: Text


class Guide(Record):
    """One objective in words; the file's name is the objective.

    `reviewed` is the day on which every statement was last held against its sources. `labs` and
    `exercises` are what a reader should run next; a guide may have none yet.
    """

    objective: ObjectiveNumber
    title: Text
    covers: Some[Annotated[int, Field(ge=1)]]
    sources: Some[Id]
    reviewed: date
    figure: GuideFigure | None = None
    labs: Listed[Id] = ()
    exercises: Listed[Id] = ()
    body: Text

    @property
    def order(self) -> tuple[int, int]:
        """Where it stands among the others: 2.10 after 2.9."""
        domain, number = self.objective.split(".")
        return int(domain), int(number)
