"""What a model may read of a ticket as numbers: the alarm table and the device's fingerprint.

It takes a `Desk`, which holds neither answers nor anything known only after the repair.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.datasets.store import Desk
from trainer.datasets.world import FIRMWARES, MONTHS, SITES, calendar_month

Floats = NDArray[np.float32]


def alarm_features(desk: Desk, *, device: bool = True) -> tuple[Floats, tuple[str, ...]]:
    """The features (N, F) between about -1 and 3, and their F names.

    Args:
        desk: the tickets.
        device: with the fingerprint (which device, its site, firmware, vendor and pace) or without.
    """
    season = 2 * np.pi * calendar_month(desk.month) / 12
    blocks: list[tuple[list[str], NDArray[Any]]] = [
        ([f"alarm {name}" for name in desk.alarm_names], desk.alarms),
        (["number of alarms"], desk.alarms.sum(axis=1)[:, None] / 5),
        (["hour of the day"], desk.second[:, None] / 86_400),
        (["age"], desk.month[:, None] / (MONTHS - 1)),
        (["season, sine", "season, cosine"], np.stack([np.sin(season), np.cos(season)], axis=1)),
    ]
    if device:
        blocks += _fingerprint(desk)
    names = tuple(name for block, _ in blocks for name in block)
    return np.concatenate([values.astype(np.float32) for _, values in blocks], axis=1), names


def _fingerprint(desk: Desk) -> list[tuple[list[str], NDArray[Any]]]:
    known = desk.card["devices"]
    sites, firmwares, vendors = (
        np.array([entry[field] for entry in known])[desk.device]
        for field in ("site", "firmware", "vendor")
    )
    return [
        (["seconds to the second alarm"], np.minimum(desk.gap_s[:, None] / 60, 3)),
        ([f"device {entry['name']}" for entry in known], _one_hot(desk.device, len(known))),
        ([f"site S{number + 1:03d}" for number in range(SITES)], _one_hot(sites, SITES)),
        (
            [f"firmware FW{number + 1:02d}" for number in range(FIRMWARES)],
            _one_hot(firmwares, FIRMWARES),
        ),
        (
            [f"vendor {name}" for name in desk.card["vendors"]],
            _one_hot(vendors, len(desk.card["vendors"])),
        ),
    ]


def _one_hot(places: NDArray[np.int64], width: int) -> Floats:
    table = np.zeros((len(places), width), dtype=np.float32)
    table[np.arange(len(places)), places] = 1
    return table
