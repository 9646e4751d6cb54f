"""Three ways to split the tickets, each with rows set aside that stand for tomorrow's tickets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trainer.datasets.store import Desk

Ints = NDArray[np.int64]
VALIDATION_SHARE = 0.2
FIRST_VALIDATION_MONTH = 15
FIRST_UNSEEN_MONTH = 18


@dataclass(frozen=True)
class Split:
    """Row numbers: to train on, to validate with, and those set aside before any choice."""

    train: Ints
    validation: Ints
    unseen: Ints


def split(desk: Desk, by: str, seed: int, *, unseen_devices: int = 90) -> Split:
    """The rows split by "row", "device" or "month".

    By row and by device the unseen rows are all tickets of `unseen_devices` devices, the same ones
    for both. A fifth of the other rows (by row) or of the other devices (by device) validates.
    Devices are dealt so that each part has its share of every kind of device (kind: the cause
    recorded most often). By month, months 16 to 18 validate and the unseen rows are those of the
    last six months.

    Raises:
        ValueError: another word than these three, or so many unseen devices that fewer than five
            are left.
    """
    if by == "month":
        rows = np.arange(len(desk))
        is_early = desk.month < FIRST_VALIDATION_MONTH
        is_late = desk.month >= FIRST_UNSEEN_MONTH
        return Split(rows[is_early], rows[~is_early & ~is_late], rows[is_late])
    if by not in {"row", "device"}:
        msg = f'a split is by "row", "device" or "month", not by {by!r}'
        raise ValueError(msg)
    return _with_unseen_devices(desk, by, seed, unseen_devices)


def _with_unseen_devices(desk: Desk, by: str, seed: int, unseen_devices: int) -> Split:
    known = int(desk.card["counts"]["devices"])
    if not 0 < unseen_devices <= known - 5:
        msg = f"unseen_devices must lie between 1 and {known - 5}: this desk has {known} devices"
        raise ValueError(msg)
    random = np.random.default_rng([seed, 1])
    devices = _by_usual_cause(desk, known, random)
    is_set_aside = _every_so_often(known, unseen_devices, random)
    is_unseen = np.isin(desk.device, devices[is_set_aside])
    pool = np.flatnonzero(~is_unseen)
    if by == "row":
        is_validation = _every_so_often(len(pool), round(VALIDATION_SHARE * len(pool)), random)
        is_validation = random.permutation(is_validation)
    else:
        seen = devices[~is_set_aside]
        dealt = _every_so_often(len(seen), round(VALIDATION_SHARE * len(seen)), random)
        is_validation = np.isin(desk.device[pool], seen[dealt])
    return Split(pool[~is_validation], pool[is_validation], np.flatnonzero(is_unseen))


def _by_usual_cause(desk: Desk, known: int, random: np.random.Generator) -> Ints:
    """All devices in random order, but those of the same usual cause side by side."""
    counts = np.zeros((known, len(desk.causes)), dtype=np.int64)
    np.add.at(counts, (desk.device, desk.recorded), 1)
    return np.lexsort((random.random(known), counts.argmax(axis=1)))


def _every_so_often(length: int, count: int, random: np.random.Generator) -> NDArray[np.bool_]:
    """(length,) true at `count` places that are spread evenly from a random start."""
    is_chosen = np.zeros(length, dtype=bool)
    is_chosen[((np.arange(count) + random.random()) * length / count).astype(np.int64)] = True
    return is_chosen
