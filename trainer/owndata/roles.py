"""Which column of a sheet plays which part."""

from collections.abc import Sequence
from dataclasses import dataclass

from trainer.owndata.columns import Column

_LABELS = frozenset({"label", "class", "cause", "target", "category", "y", "answer"})
_CLASSES = 50


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


def propose(kinds: Sequence[Column]) -> Roles:
    """Return roles that fit what the columns hold; a learner may change each of them.

    The label is the last column of a few classes, by preference one that is called so.
    """
    able = [column for column in kinds if _could_be_label(column)]
    called = [column for column in able if column.name.lower() in _LABELS]
    label = (called or able or list(kinds))[-1].name
    others = [column for column in kinds if column.name != label]
    texts = [column.name for column in others if column.kind == "text"]
    read = tuple(column.name for column in others if column.kind in ("number", "category"))
    dates = [column.name for column in others if column.kind.startswith("date")]
    return Roles(
        label=label,
        text=texts[0] if texts else None,
        columns=() if texts else read,
        time=dates[0] if dates else None,
    )


def _could_be_label(column: Column) -> bool:
    return column.kind in ("category", "number") and 2 <= column.distinct <= _CLASSES
