"""Which column of a sheet plays which part."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Which column plays which part; either one text or some columns are read."""

    label: str
    text: str | None = None
    columns: tuple[str, ...] = ()
    group: str | None = None
    time: str | None = None

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that a model reads."""
        return (self.text,) if self.text else self.columns
