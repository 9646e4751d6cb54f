"""Tickets as the columns that a network reads; which of them a model gets is left to the labs.

Legend: N tickets, C causes, F columns. Whatever is fitted (vocabulary, habits) is fitted on the
rows that the caller names, so that a lab can do it right or wrong on purpose.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainer.datasets.ceiling import ceiling
from trainer.datasets.features import alarm_features
from trainer.datasets.splits import Split
from trainer.datasets.store import Desk, closed
from trainer.datasets.words import Vocabulary
from trainer.owndata.desk import OwnDesk

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def join(blocks: Mapping[str, Floats], device: torch.device) -> tuple[Tensor, dict[str, slice]]:
    """All blocks beside each other on the device, and where each of them stands."""
    ends = np.cumsum([block.shape[1] for block in blocks.values()]).tolist()
    places = {
        name: slice(end - block.shape[1], end)
        for (name, block), end in zip(blocks.items(), ends, strict=True)
    }
    table = np.concatenate(list(blocks.values()), axis=1)
    return torch.from_numpy(table).to(device), places


def alarm_columns(desk: Desk) -> Floats:
    """Alarms, hour and season of each ticket (N, F); nothing of the device."""
    return alarm_features(desk, device=False)[0]


def device_columns(desk: Desk, *, named: bool = True) -> Floats:
    """The fingerprint (N, F): pace, site, firmware, vendor, and a column for each device's name."""
    table, names = alarm_features(desk)
    first = alarm_columns(desk).shape[1]
    kept = [i for i in range(first, len(names)) if named or not names[i].startswith("device ")]
    chosen: Floats = table[:, kept]
    return chosen


def habit_columns(desk: Desk | OwnDesk, rows: Ints) -> Floats:
    """Target encoding (N, C): which share each cause has among the tickets in `rows` of the device.

    Devices are held back by the general shares, as if they had five tickets more with those.
    """
    counts = np.zeros((int(desk.device.max()) + 1, len(desk.causes)))
    np.add.at(counts, (desk.device[rows], desk.recorded[rows]), 1)
    counts += 5 * counts.sum(axis=0) / counts.sum()
    shares: Floats = (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares[desk.device]


def team_columns(desk: Desk, blank: Ints) -> Floats:
    """Who solved the ticket (N, teams): known only after the repair, so it stays 0 in `blank`."""
    teams = [row["resolver_team"] for row in closed(desk.folder)]
    names = sorted(set(teams))
    table = np.zeros((len(desk), len(names)), dtype=np.float32)
    table[np.arange(len(desk)), [names.index(team) for team in teams]] = 1
    table[blank] = 0
    return table


def word_columns(texts: list[str], vocabulary: Vocabulary) -> Floats:
    """A 1 for each word of the vocabulary that occurs in the text (N, words)."""
    return vocabulary.encode(texts).dense(len(vocabulary))


def ceiling_lines(
    desk: Desk | OwnDesk, *, words: bool, devices: tuple[bool, ...] = (True, False)
) -> list[Any]:
    """The best that any model can reach on recorded causes: on devices it knows, on new ones.

    Nobody knows it of data that a learner brought.
    """
    if isinstance(desk, OwnDesk):
        return []
    names = {True: "known devices", False: "new devices"}
    found = {
        names[knows]: ceiling(desk.card["ceilings"], words=words, knows_device=knows)
        for knows in devices
    }
    return [
        {"value": line["recorded"], "label": f"{line['label']}, {name}", "origin": "C"}
        for name, line in found.items()
    ]


def device_map(desk: Desk | OwnDesk, rows: Split) -> dict[str, Any] | None:
    """Where each device's tickets went (`devices`), and where its fingerprint lies (`places`).

    A place is the projection of the device's fixed marks and usual alarms on their two main axes.
    Of a learner's own groups it is that of their classes; None where nobody knows their names.
    """
    names = [entry["name"] for entry in desk.card["devices"]]
    if not names:
        return None
    marks = _marks(desk)
    seen = [desk.device == device for device in range(len(names))]
    usual = np.stack([marks[its].mean(axis=0) if its.any() else 0 * marks[0] for its in seen])
    places = np.linalg.svd(usual - usual.mean(axis=0), full_matrices=False)[0][:, :2]
    trained, validated = set(desk.device[rows.train]), set(desk.device[rows.validation])
    kinds = {
        (True, False): "training only",
        (False, True): "validation only",
        (True, True): "both",
        (False, False): "unseen",
    }
    went = [list(kinds).index((d in trained, d in validated)) for d in range(len(names))]
    pairs = [list(pair) for pair in zip(names, went, strict=True)]
    return {"kinds": list(kinds.values()), "devices": pairs, "places": places.tolist()}


def _marks(desk: Desk | OwnDesk) -> NDArray[Any]:
    if isinstance(desk, OwnDesk):
        return np.eye(len(desk.causes))[desk.recorded]
    return np.concatenate([device_columns(desk, named=False), desk.alarms], axis=1)
