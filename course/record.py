"""The base of every content type: strict, frozen, and no field nobody asked for."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, Field(min_length=1)]
Listed = Annotated[tuple[T, ...], Field(strict=False)]
Some = Annotated[tuple[T, ...], Field(strict=False, min_length=1)]


class Record(BaseModel):
    """A part of the course: no unknown field, no silent conversion, no change after reading."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


def check_once(ids: list[str]) -> None:
    """Raise `ValueError` naming each id that stands more than once."""
    twice = sorted({each for each in ids if ids.count(each) > 1})
    if twice:
        raise ValueError(f"used twice: {', '.join(twice)}")
