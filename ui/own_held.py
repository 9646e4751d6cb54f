"""The one upload that is kept in memory for each learner, until it is used or put away."""

import io
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from trainer.owndata import columns, reading
from trainer.owndata.columns import Column, Kind
from trainer.owndata.reading import Sheet

_MOST = 8  # learners; whoever waited longest has to choose the file again
_held: "OrderedDict[str, Held]" = OrderedDict()
_lock = Lock()


@dataclass(frozen=True, kw_only=True)
class Held:
    """A file that was read: its cells, and what its columns hold as the learner knows better."""

    name: str
    sheet: Sheet
    guessed: tuple[Column, ...]
    corrected: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[Column, ...]:
        """What the columns hold."""
        return columns.correct(self.guessed, self.corrected)


def read(learner: str, name: str, content: bytes) -> Held:
    """Read a file and keep it in place of the learner's last one.

    Raises:
        BadFile: it cannot be read; what was kept before stays.
    """
    sheet = reading.read(io.BytesIO(content))
    held = Held(name=name, sheet=sheet, guessed=columns.guess(sheet))
    with _lock:
        _held[learner] = held
        _held.move_to_end(learner)
        while len(_held) > _MOST:
            _held.popitem(last=False)
    return held


def get(learner: str) -> Held | None:
    """Return what is kept for the learner."""
    return _held.get(learner)


def correct(learner: str, name: str, kind: Kind) -> None:
    """Let a column hold what the learner says."""
    with _lock:
        if (held := _held.get(learner)) is not None:
            _held[learner] = replace(held, corrected={**held.corrected, name: kind})


def put_away(learner: str) -> None:
    """Forget it."""
    with _lock:
        _held.pop(learner, None)
