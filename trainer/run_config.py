"""What is asked of a run, and the words for how it stands."""

import math
import re
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Literal, Self

from trainer.errors import BadSetting
from trainer.learner import LEARNER, LOCAL, refusal

LAB_ID = re.compile(r"[a-z0-9_]{1,40}")
RUN_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[a-z0-9_]{1,40}-[0-9a-f]{4}")
DATA = re.compile(r"([0-9a-f]{16})(?:\.(row|device|month))?")  # a data set and how it is split
_DEVICES = ("auto", "cpu", "cuda")


class RunStatus(StrEnum):
    """MLflow's five words; *paused* is a property of a running run."""

    SCHEDULED = "SCHEDULED"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    KILLED = "KILLED"


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """What was asked for; written once into `config.json`.

    `data` names the data set and its split ("3f2a09c1d5e6b7f8.device", without a split: by device),
    `parent` the run whose kept model this one goes on with.
    """

    lab: str
    preset: str = "cpu"
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int = 1337
    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: int = 1
    learner: str = LOCAL
    prediction: Any = None
    confidence: str | None = None
    data: str | None = None
    parent: str | None = None
    time_limit_s: float = 3600.0

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON-able values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """Build from what `as_dict` gave; names of a later version are left out.

        Raises:
            ValueError: for anything that is not the config of a run.
        """
        if not isinstance(values, dict) or "lab" not in values:
            raise BadSetting("This is not the config of a run.")
        known = {entry.name for entry in fields(cls)}
        config = cls(**{name: value for name, value in values.items() if name in known})
        config.check()
        return config

    @property
    def data_and_split(self) -> tuple[str, str] | None:
        """The hash of the data set and the word of its split; None for the usual tickets."""
        found = DATA.fullmatch(self.data or "")
        return (found[1], found[2] or "device") if found else None

    def check(self) -> None:
        """Raise BadSetting, with one sentence, for a value that no worker could use."""
        names = [self.lab, self.preset, self.learner]
        _must(all(isinstance(name, str) for name in names), "Names must be texts.")
        _must(bool(LAB_ID.fullmatch(self.lab)), f"There is no lab {self.lab[:80]!r}.")
        _must(isinstance(self.confidence, str | None), "confidence must be a text.")
        _must(
            self.data is None or _fits(DATA, self.data),
            "data must be the hash of a data set, with its split where one is meant: "
            "3f2a09c1d5e6b7f8 or 3f2a09c1d5e6b7f8.device.",
        )
        _must(self.parent is None or _fits(RUN_ID, self.parent), "parent must be the id of a run.")
        if not LEARNER.fullmatch(self.learner):
            raise BadSetting(refusal(self.learner))
        _must(isinstance(self.settings, dict), "settings must be names with values.")
        _must(self.device in _DEVICES, f"device must be one of {', '.join(_DEVICES)}.")
        _must(_is_whole(self.seed, 0, 2**63 - 1), "seed must be a whole number from 0 to 2^63 - 1.")
        _must(_is_whole(self.threads, 1, 1024), "threads must be a whole number from 1 to 1024.")
        limit = self.time_limit_s
        is_time = isinstance(limit, (int, float)) and math.isfinite(limit) and limit > 0
        _must(is_time, "time_limit_s must be a number of seconds above 0.")


def _must(holds: bool, sentence: str) -> None:
    if not holds:
        raise BadSetting(sentence)


def _fits(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


@dataclass(frozen=True)
class Finding:
    """The one figure a lab is about, with its sentence."""

    name: str
    value: float
    text: str
