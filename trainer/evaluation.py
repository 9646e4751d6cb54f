"""How good a model is on tickets it did not train on, and which columns that rests on."""

from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True, kw_only=True)
class Score:
    """Mean cross-entropy in nats, and the share of tickets whose cause came first."""

    loss: float
    accuracy: float


def logits(model: nn.Module, inputs: Tensor) -> Tensor:
    """What the model says with its dropout switched off; it goes on training as before."""
    was_training = model.training
    model.eval()
    with torch.no_grad():
        said: Tensor = model(inputs)
    model.train(was_training)
    return said


def score(model: nn.Module, inputs: Tensor, labels: Tensor) -> Score:
    """The model's loss and accuracy. Reads two values from the device, so it waits for a GPU."""
    said = logits(model, inputs)
    loss = F.cross_entropy(said, labels)
    right = (said.argmax(dim=1) == labels).float().mean()
    return Score(loss=loss.item(), accuracy=right.item())


def lost_without(model: nn.Module, inputs: Tensor, labels: Tensor, columns: slice) -> float:
    """How much accuracy goes when `columns` are dealt out among the tickets anew.

    The columns keep their values but no longer belong to their ticket: what is lost is what the
    model had read from them (permutation importance; Breiman 2001, Random Forests, section 10).
    """
    order = torch.randperm(len(inputs), generator=torch.Generator().manual_seed(0))
    dealt = inputs.clone()
    dealt[:, columns] = inputs[order.to(inputs.device)][:, columns]
    return score(model, inputs, labels).accuracy - score(model, dealt, labels).accuracy


@dataclass(frozen=True, kw_only=True)
class Band:
    """One figure over several seeds: its mean, and how far the seeds lie apart."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Self:
        """The band of these values."""
        return cls(value=sum(values) / len(values), low=min(values), high=max(values))

    @classmethod
    def around(cls, values: list[float]) -> Self:
        """The band about the median, for times: one that other work held up moves no median."""
        return cls(value=median(values), low=min(values), high=max(values))

    def overlaps(self, other: "Band") -> bool:
        """Whether the seeds leave open which of the two is lower."""
        return self.low <= other.high and other.low <= self.high


def least(bands: dict[str, Band]) -> list[str]:
    """The name of the lowest band first, then all whose bands overlap it: those are tied."""
    ranked = sorted(bands, key=lambda name: bands[name].value)
    return [name for name in ranked if bands[name].overlaps(bands[ranked[0]])]


def bars(bands: dict[str, Band]) -> list[dict[str, Any]]:
    """The bands as a picture of bars takes them."""
    return [{"name": name} | asdict(band) for name, band in bands.items()]
