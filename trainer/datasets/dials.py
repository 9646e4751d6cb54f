"""The dials of the Alarm Desk, with their bounds; what they turn is for the other modules."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

VERSION = "2026-11-30"
"""The generator's version: raise it whenever the same dials give other tickets."""

_BOUNDS: dict[str, tuple[float, float]] = {
    "tickets": (50, 200_000),
    "devices": (2, 2_000),
    "seed": (0, 2**31 - 1),
    "hard": (0.0, 1.4),
    "habit": (0.0, 0.9),
    "label_noise": (0.0, 0.5),
    "duplicates": (0.0, 0.5),
    "families": (0.0, 0.5),
    "drift": (0.0, 1.0),
}


@dataclass(frozen=True, kw_only=True)
class Dials:
    """What a data set of the Alarm Desk is made from; the same dials give the same bytes.

    Attributes:
        tickets: number of rows, copies included.
        devices: number of devices that open them.
        seed: names one world: its devices, their habits and all tickets.
        hard: scales hedged red herrings and stray alarms of confusable causes; 0 easy, 1 usual.
        habit: share of a device's tickets that its one to three favourite causes hold; 0 means no
            habits.
        label_noise: share of rows whose recorded cause is wrong.
        duplicates: chance that a ticket is filed twice.
        families: chance that an incident on shared infrastructure opens three to nine more tickets.
        drift: how far causes, alarm names and wordings change over the two years; 0 not at all.
    """

    tickets: int = 6000
    devices: int = 300
    seed: int = 7
    hard: float = 1.0
    habit: float = 0.9
    label_noise: float = 0.06
    duplicates: float = 0.05
    families: float = 0.06
    drift: float = 1.0

    def __post_init__(self) -> None:
        """Holds every dial within its bounds."""
        for name, (low, high) in _BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                msg = f"{name} must lie between {low:g} and {high:g}, not at {value!r}"
                raise ValueError(msg)
            if isinstance(low, int) and int(value) != value:
                msg = f"{name} must be a whole number, not {value!r}"
                raise ValueError(msg)
            object.__setattr__(self, name, int(value) if isinstance(low, int) else float(value))

    def digest(self) -> str:
        """The data set's name: a hash of all its bytes follow from: dials, templates, version."""
        here = Path(__file__).parent
        recipe = {"version": VERSION, "dials": asdict(self)}
        content = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode())
        for template in ("causes.yaml", "language.yaml"):
            content.update((here / template).read_bytes())
        return content.hexdigest()[:16]
