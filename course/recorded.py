"""The expected band of a lab: what runs with certain settings did over several seeds, recorded."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, model_validator

from course.load import CONTENT
from course.record import Id, Listed, Record, Some, Text

FOLDER = "recorded"
Values = Some[float]


class Line(Record):
    """The lowest, the middle and the highest value of one metric at each step."""

    steps: Some[int]
    low: Values
    mid: Values
    high: Values

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if len({len(part) for part in (self.steps, self.low, self.mid, self.high)}) != 1:
            raise ValueError("steps, low, mid and high must be of one length")
        values = zip(self.low, self.mid, self.high, strict=True)
        if not all(low <= mid <= high for low, mid, high in values):
            raise ValueError("low <= mid <= high must hold at each step")
        if sorted(set(self.steps)) != list(self.steps):
            raise ValueError("steps must rise")
        return self


class Recorded(Record):
    """One recording, with all that says for which runs it holds and where it comes from."""

    lab: Id
    preset: Text
    settings: dict[str, Any]
    seeds: Annotated[Listed[int], Field(min_length=2)]
    data: str
    device: Text
    machine: Text
    torch: Text
    date: Annotated[date, Field(strict=False)]
    plan: dict[str, Any]
    lines: Annotated[dict[str, Line], Field(min_length=1)]

    def holds_for(
        self, *, preset: str, settings: Mapping[str, Any], device: str, torch: str
    ) -> bool:
        """Whether runs with these settings may be expected to lie in the band.

        Every setting must be the same, and so must the preset and the kind of device; of PyTorch
        the first number, since what a seed draws may change with it.
        """
        same_torch = torch.partition(".")[0] == self.torch.partition(".")[0]
        is_same = dict(settings) == self.settings and preset == self.preset
        return is_same and device == self.device and same_torch

    def stands_on(self, data: str | None, parent: str | None) -> bool:
        """Whether a run on this data set and model stands on the same: usual tickets, no model."""
        return parent is None and data in (None, self.data, f"{self.data}.device")


def read(lab: str, root: Path = CONTENT) -> Recorded | None:
    """Return the recording of a lab; None where there is none, or none that can be used."""
    place = root / FOLDER / f"{lab}.json"
    try:
        return _parse(place, place.stat().st_mtime_ns)
    except (OSError, ValidationError):
        return None


@lru_cache(maxsize=32)
def _parse(place: Path, _written: int) -> Recorded:
    return parse(place.read_text(encoding="utf-8"))


def parse(text: str) -> Recorded:
    """Return what a file of the recording command holds.

    Raises:
        ValidationError: it is not such a file.
    """
    return Recorded.model_validate_json(text)
