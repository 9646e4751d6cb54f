"""The networks that the labs train; how they are trained is left to the labs.

Legend: B tickets in a batch, F columns a ticket, C causes.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class MLP(nn.Sequential):
    """Linear layers with ReLU and dropout between them; `sizes` is (inputs, hidden ..., outputs).

    Starts with PyTorch's own random weights.
    """

    def __init__(self, sizes: Sequence[int], *, dropout: float = 0.0) -> None:
        """Builds one linear layer for each pair of neighbouring sizes."""
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [nn.Linear(inputs, outputs), nn.ReLU(), nn.Dropout(dropout)]
        super().__init__(*layers[:-2])


class TicketClassifier(nn.Module):
    """Reads a ticket, its alarms and then its words as a bag, and names the cause.

    The first columns of a ticket are its alarms, the last `num_words` are 1 where a word occurs.
    """

    def __init__(
        self,
        *,
        sizes: Sequence[int],
        num_words: int,
        dropout: float = 0.0,
        word_dropout: float = 0.0,
    ) -> None:
        """`word_dropout` is the share of words left out at random while it trains."""
        super().__init__()
        self.sizes = tuple(sizes)
        self.num_words = num_words
        self.word_dropout = word_dropout
        self.net = MLP(sizes, dropout=dropout)

    def forward(self, tickets_BF: Tensor) -> Tensor:
        """Gives one score (logit) for each cause, shape B x C."""
        if self.training and self.word_dropout and self.num_words:
            alarms, words = tickets_BF.tensor_split([-self.num_words], dim=1)
            # The words that stay count for more, so that a ticket keeps its weight.
            words = F.dropout(words, self.word_dropout)
            tickets_BF = torch.cat([alarms, words], dim=1)
        scores_BC: Tensor = self.net(tickets_BF)
        return scores_BC
