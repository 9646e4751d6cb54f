"""What is asked of a run, and the words for how it stands."""

from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Literal, Self


class RunStatus(StrEnum):
    """MLflow's five words; *paused* is a property of a running run."""

    SCHEDULED = "SCHEDULED"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    KILLED = "KILLED"


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """What was asked for; written once into `config.json`."""

    lab: str
    preset: str = "cpu"
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int = 1337
    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: int = 1
    learner: str = "local"
    prediction: Any = None
    confidence: str | None = None
    data: str | None = None
    parent: str | None = None
    time_limit_s: float = 3600.0

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON-able values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Build from what `as_dict` gave; names of a later version are left out."""
        known = {entry.name for entry in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


@dataclass(frozen=True)
class Finding:
    """The one figure a lab is about, with its sentence."""

    name: str
    value: float
    text: str
