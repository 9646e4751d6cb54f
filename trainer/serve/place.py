"""Where an endpoint is: a file with its address and who it is, believed only while it lives."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from trainer import events
from trainer.process import Identity

FILE = "endpoint.json"  # in the runs folder
STATE = ".endpoint"  # its lock and its log, in the runs folder


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One that answers: its address, its process, and since when (Unix time)."""

    address: str
    process: Identity
    started: float

    @classmethod
    def read(cls, place: Path) -> Self | None:
        """Return the endpoint that a file tells of, if that very process lives."""
        try:
            told: dict[str, Any] = json.loads(place.read_bytes())
            address, started = str(told["address"]), float(told["started_at"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        process = Identity.read(place)
        if process is None or not process.is_alive:
            return None
        return cls(address=address, process=process, started=started)


def write(place: Path, address: str, process: Identity) -> None:
    """Tell where this process answers, in one piece."""
    body = {"address": address, "started_at": time.time()} | process.as_dict()
    events.replace(place, json.dumps(body).encode())


def remove(place: Path, process: Identity) -> None:
    """Take the file away, unless it tells of another process by now."""
    if Identity.read(place) == process:
        place.unlink(missing_ok=True)


def state_folder(runs: Path) -> Path:
    """Return the folder of the endpoint's own files, made on first use."""
    folder = runs / STATE
    folder.mkdir(parents=True, exist_ok=True)
    return folder
