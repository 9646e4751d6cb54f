"""Shares of a batch: together they are the batch, and an epoch reads every row once."""

import pytest
import torch

from trainer.shards import Shards


def whole(seed: int = 1, **size: int) -> Shards:
    return Shards(size.get("count", 10), size.get("batch_size", 6), rank=0, world_size=1, seed=seed)


@pytest.mark.parametrize("world_size", [2, 3])
def test_the_shares_of_all_ranks_in_their_order_are_the_batch(world_size: int) -> None:
    shares = [Shards(10, 6, rank=k, world_size=world_size, seed=1) for k in range(world_size)]
    for step in range(1, 9):
        together = torch.cat([share.rows(step) for share in shares])
        assert torch.equal(together, whole().rows(step))
        assert {len(share.rows(step)) for share in shares} == {6 // world_size}


def test_an_epoch_reads_every_row_once_and_in_another_order_than_the_last() -> None:
    rows = torch.cat([whole().rows(step) for step in range(1, 6)])
    epochs = rows.reshape(3, 10)
    assert all(sorted(epoch.tolist()) == list(range(10)) for epoch in epochs)
    assert not torch.equal(epochs[0], epochs[1])


def test_a_batch_may_be_larger_than_the_data_set() -> None:
    rows = whole(batch_size=24).rows(1)
    assert torch.bincount(rows).sort().values.tolist() == [2] * 6 + [3] * 4


def test_rows_depend_on_seed_and_step_alone() -> None:
    late = whole()
    late.rows(7)
    assert torch.equal(late.rows(2), whole().rows(2))
    assert not torch.equal(whole(seed=2).rows(1), whole().rows(1))


def test_unequal_shares_are_refused() -> None:
    with pytest.raises(AssertionError):
        Shards(10, 7, rank=0, world_size=2, seed=1)
