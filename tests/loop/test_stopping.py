"""Early stopping: when it ends a run, and which weights it gives back."""

import torch
from torch import nn

from trainer.stopping import BestStep


def watched(patience: int, losses: list[float]) -> tuple[BestStep, nn.Linear, int]:
    """Shows the losses one by one while the weight counts up; returns after how many it ended."""
    model, best = nn.Linear(1, 1), BestStep(patience, {})
    for epoch, loss in enumerate(losses, 1):
        nn.init.constant_(model.weight, epoch)
        best.see(loss, model)
        if best.is_over:
            return best, model, epoch
    return best, model, 0


def test_it_ends_after_as_many_epochs_without_a_new_best_as_patience_allows() -> None:
    losses = [3.0, 2.0, 2.5, 1.9, 2.0, 2.1, 2.2, 1.0]
    assert watched(1, losses)[2] == 3
    assert watched(2, losses)[2] == 6
    assert watched(3, losses)[2] == 7
    assert watched(4, losses)[2] == 0


def test_the_weights_of_the_best_epoch_come_back() -> None:
    best, model, _ = watched(2, [3.0, 2.0, 2.5, 2.6])
    assert model.weight.item() == 4
    best.put_back(model)
    assert model.weight.item() == best.turn_epoch == 2


def test_without_patience_it_never_ends_and_changes_no_weight() -> None:
    best, model, ended = watched(0, [1.0, 2.0, 3.0])
    best.put_back(model)
    assert (ended, model.weight.item(), best.turn_epoch) == (0, 3, 1)


def test_a_resume_goes_on_with_what_was_seen() -> None:
    best, model, _ = watched(3, [3.0, 2.0, 2.5])
    again = BestStep(3, best.state())
    again.see(2.6, model)
    again.see(2.7, model)
    assert again.is_over
    again.put_back(model)
    assert torch.equal(model.weight, torch.full((1, 1), 2.0))
