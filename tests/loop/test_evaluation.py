"""Scores equal what is worked out by hand; bands say what a few seeds can tell."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from trainer.evaluation import Band, least, lost_without, score


class Reads(nn.Module):
    """Answers class 1 where the first column is 1; drops everything while it trains."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        kept = F.dropout(inputs[:, :1], 1.0, training=self.training)
        return torch.cat([0.5 - kept, kept - 0.5], dim=1)


def examples() -> tuple[torch.Tensor, torch.Tensor]:
    inputs = (torch.rand(400, 3, generator=torch.Generator().manual_seed(0)) > 0.5).float()
    return inputs, inputs[:, 0].long()


def test_a_score_is_taken_without_dropout_and_training_goes_on() -> None:
    model = Reads().train()
    found = score(model, *examples())
    assert found.accuracy == 1.0
    assert found.loss == pytest.approx(F.softplus(torch.tensor(-1.0)).item())
    assert model.training


def test_only_what_the_model_reads_is_missed() -> None:
    inputs, labels = examples()
    assert lost_without(Reads(), inputs, labels, slice(0, 1)) == pytest.approx(0.5, abs=0.08)
    assert lost_without(Reads(), inputs, labels, slice(1, 3)) == 0
    assert torch.equal(inputs, examples()[0]), "the tickets themselves stay as they are"


def test_bands_that_overlap_the_lowest_are_tied_with_it() -> None:
    bands = {
        "wide": Band.of([0.1, 0.3]),
        "low": Band.of([0.15, 0.2]),
        "high": Band.of([0.4, 0.5]),
        "touching": Band.of([0.2, 0.9]),
    }
    assert least(bands) == ["low", "wide", "touching"]
    assert least({}) == []


def test_a_band_around_the_median_is_not_moved_by_one_that_was_held_up() -> None:
    band = Band.around([1.0, 2.0, 3.0, 4.0, 500.0])
    assert (band.value, band.low, band.high) == (3.0, 1.0, 500.0)
