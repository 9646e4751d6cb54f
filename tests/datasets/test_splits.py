"""Splits keep apart what they promise to keep apart."""

import numpy as np
import pytest

from trainer.datasets import Desk, split


@pytest.mark.parametrize("by", ["row", "device", "month"])
def test_the_three_parts_share_no_row_and_hold_all(desk: Desk, by: str) -> None:
    rows = split(desk, by, seed=5)
    together = np.concatenate([rows.train, rows.validation, rows.unseen])
    assert sorted(together) == list(range(len(desk)))
    assert min(len(rows.train), len(rows.validation), len(rows.unseen)) > 500


def test_unseen_devices_are_unseen_and_the_same_for_row_and_device(desk: Desk) -> None:
    by_row, by_device = split(desk, "row", seed=5), split(desk, "device", seed=5)
    assert np.array_equal(by_row.unseen, by_device.unseen)
    unseen = set(desk.device[by_row.unseen])
    assert len(unseen) == 90
    assert unseen.isdisjoint(desk.device[np.concatenate([by_row.train, by_row.validation])])
    assert set(desk.device[by_device.train]).isdisjoint(desk.device[by_device.validation])
    assert len(set(desk.device[by_row.train]) & set(desk.device[by_row.validation])) > 150


def test_months_go_forward(desk: Desk) -> None:
    rows = split(desk, "month", seed=5)
    assert desk.month[rows.train].max() < desk.month[rows.validation].min()
    assert desk.month[rows.validation].max() < desk.month[rows.unseen].min() == 18


def test_the_seed_decides(desk: Desk) -> None:
    first, again, other = (split(desk, "device", seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.unseen, again.unseen)
    assert not np.array_equal(first.unseen, other.unseen)


def test_devices_are_dealt_evenly_by_their_usual_cause(desk: Desk) -> None:
    rows = split(desk, "device", seed=5)
    whole = np.bincount(desk.recorded, minlength=10) / len(desk)
    for part in (rows.train, rows.unseen):
        share = np.bincount(desk.recorded[part], minlength=10) / len(part)
        assert np.all(np.abs(share - whole) < 0.06)


@pytest.mark.parametrize(("by", "unseen"), [("week", 90), ("row", 0), ("device", 296)])
def test_a_split_that_cannot_be_is_refused(desk: Desk, by: str, unseen: int) -> None:
    with pytest.raises(ValueError, match=r"split is by|unseen_devices"):
        split(desk, by, seed=5, unseen_devices=unseen)
