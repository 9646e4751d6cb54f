"""The order of the batches is a pure function of seed and step."""

import pytest
import torch

from trainer.batches import Batches


def rows(batches: Batches, start: int = 0) -> list[list[int]]:
    return [batch[0].tolist() for batch in batches.from_step(start)]


def numbers(count: int, batch_size: int, epochs: int, seed: int = 7) -> Batches:
    return Batches(torch.arange(count), batch_size=batch_size, epochs=epochs, seed=seed)


def test_each_epoch_holds_every_row_once() -> None:
    batches = numbers(10, 4, epochs=3)
    assert batches.steps_per_epoch == 3
    assert batches.steps == 9
    seen = rows(batches)
    for epoch in range(3):
        batches_of_it = seen[epoch * 3 : epoch * 3 + 3]
        assert sorted(row for batch in batches_of_it for row in batch) == list(range(10))


def test_epochs_and_seeds_have_orders_of_their_own() -> None:
    batches = numbers(50, 50, epochs=2)
    first, second = rows(batches)
    assert first != second
    assert first != rows(numbers(50, 50, epochs=1, seed=8))[0]
    assert first == rows(numbers(50, 50, epochs=1))[0]


@pytest.mark.parametrize("start", [0, 1, 2, 3, 5, 6, 9])
def test_a_resume_goes_on_with_the_very_next_batch(start: int) -> None:
    batches = numbers(10, 4, epochs=3)
    assert rows(batches, start) == rows(batches)[start:]


def test_all_tensors_are_shuffled_together() -> None:
    inputs = torch.arange(20)
    batches = Batches(inputs, inputs * 10, batch_size=6, epochs=2, seed=1)
    for left, right in batches.from_step():
        assert torch.equal(left * 10, right)


def test_tensors_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        Batches(torch.zeros(3), torch.zeros(4), batch_size=2, epochs=1, seed=1)
    with pytest.raises(ValueError, match="above 0"):
        Batches(torch.zeros(0), batch_size=2, epochs=1, seed=1)
