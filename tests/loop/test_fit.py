"""The shared loop equals the one written by hand, resumes bit for bit and reads no value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from trainer.batches import Batches
from trainer.flat import FlatAdamW
from trainer.loop import fit
from trainer.models import MLP


@dataclass
class Problem:
    """A small model with data of its own, the same for the same seed."""

    model: nn.Module
    batches: Batches


Maker = Callable[[Problem], Optimizer]


def problem(seed: int = 3, dropout: float = 0.0) -> Problem:
    torch.manual_seed(seed)
    inputs, targets = torch.randn(100, 8), torch.randint(0, 4, (100,))
    batches = Batches(inputs, targets, batch_size=16, epochs=6, seed=seed)
    return Problem(MLP((8, 16, 4), dropout=dropout), batches)


def losses(made: Problem, optimizer: Optimizer, start: int = 0) -> list[float]:
    steps = fit(made.model, made.batches, optimizer, loss_fn=F.cross_entropy, start=start)
    return [step.loss.item() for step in steps]


def by_hand(made: Problem, optimizer: Optimizer) -> Iterator[float]:
    for inputs, targets in made.batches.from_step():
        optimizer.zero_grad()
        loss = F.cross_entropy(made.model(inputs), targets)
        loss.backward()
        optimizer.step()
        yield loss.item()


def flat(made: Problem) -> FlatAdamW:
    return FlatAdamW(made.model, lr=1e-2, weight_decay=0.1)


def usual(made: Problem) -> AdamW:
    return AdamW(made.model.parameters(), lr=1e-2, weight_decay=0.1, fused=True)


@pytest.mark.parametrize("make", [usual, flat])
def test_same_seed_gives_the_same_losses_bit_for_bit(make: Maker) -> None:
    one, two = problem(dropout=0.2), problem(dropout=0.2)
    torch.manual_seed(1)
    first = losses(one, make(one))
    torch.manual_seed(1)
    assert losses(two, make(two)) == first
    other = problem(seed=4)
    assert losses(other, make(other)) != first


def test_the_loop_equals_the_one_written_by_hand_bit_for_bit() -> None:
    ours, plain = problem(), problem()
    assert losses(ours, usual(ours)) == list(by_hand(plain, usual(plain)))


def test_the_flat_buffer_gives_the_losses_of_the_plain_loop() -> None:
    ours, plain = problem(), problem()
    assert losses(ours, flat(ours)) == pytest.approx(list(by_hand(plain, usual(plain))), rel=1e-5)


@pytest.mark.parametrize("stopped_after", [1, 6, 7, 20])
def test_a_resume_from_the_saved_state_is_bit_equal(stopped_after: int) -> None:
    undisturbed = problem()
    expected = losses(undisturbed, flat(undisturbed))

    first = problem()
    optimizer = flat(first)
    for step in fit(first.model, first.batches, optimizer, loss_fn=F.cross_entropy):
        if step.index == stopped_after:
            break
    again = problem(seed=3)
    resumed = flat(again)
    again.model.load_state_dict(first.model.state_dict())
    resumed.load_state_dict(optimizer.state_dict())
    assert losses(again, resumed, start=stopped_after) == expected[stopped_after:]


def test_steps_count_from_one_and_go_on_from_the_start() -> None:
    made = problem()
    steps = list(fit(made.model, made.batches, flat(made), loss_fn=F.cross_entropy, start=30))
    assert [step.index for step in steps] == list(range(31, 43))
    assert [step.examples for step in steps[:6]] == [16, 16, 16, 16, 4, 16]
    assert all(step.seconds > 0 for step in steps)


def test_the_loss_is_detached_and_has_no_dimension() -> None:
    made = problem()
    step = next(fit(made.model, made.batches, flat(made), loss_fn=F.cross_entropy))
    assert step.loss.shape == ()
    assert not step.loss.requires_grad
    assert step.grad_norm is None


def test_a_schedule_sets_the_rate_of_each_step() -> None:
    made = problem()
    optimizer = flat(made)
    steps = fit(
        made.model,
        made.batches,
        optimizer,
        loss_fn=F.cross_entropy,
        schedule=lambda index: 1 / index,
    )
    assert [next(steps).learning_rate for _ in range(3)] == [1, 1 / 2, 1 / 3]


@pytest.mark.parametrize("make", [usual, flat])
def test_long_gradients_are_cut(make: Maker) -> None:
    made = problem()
    seen: list[Tensor] = []
    steps = fit(made.model, made.batches, make(made), loss_fn=F.cross_entropy, max_norm=0.01)
    for step in steps:
        assert step.grad_norm is not None
        assert step.grad_norm > 0.01
        kept = [p.grad.norm() for p in made.model.parameters() if p.grad is not None]
        seen.append(torch.stack(kept).norm())
    assert torch.stack(seen).max() <= 0.0101


def test_the_model_gets_all_tensors_but_the_last() -> None:
    class Sum(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(3))

        def forward(self, left: Tensor, right: Tensor) -> Tensor:
            return (left + right) * self.weight

    torch.manual_seed(0)
    left, right = torch.randn(2, 10, 3)
    model = Sum()
    batches = Batches(left, right, (left + right) * 2, batch_size=5, epochs=200, seed=0)
    for _ in fit(model, batches, AdamW(model.parameters(), lr=0.05), loss_fn=F.mse_loss):
        pass
    assert torch.allclose(model.weight, torch.full((3,), 2.0), atol=0.01)
