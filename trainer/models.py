"""The networks that the labs train; how they are trained is left to the labs.

Shapes: B batch, T words of a ticket, A alarm columns, W width, C causes.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

PADDING = 0  # the word number that fills up short tickets and stands for a dropped word


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
    """Reads a ticket, its words as a bag and its alarms as a row of marks, and names the cause."""

    def __init__(
        self,
        *,
        num_words: int,
        num_alarms: int,
        num_causes: int,
        width: int,
        dropout: float = 0.0,
    ) -> None:
        """`width` is the size of every hidden layer."""
        super().__init__()
        self.words = nn.EmbeddingBag(num_words, width, mode="mean", padding_idx=PADDING)
        self.alarms = nn.Linear(num_alarms, width)
        self.dropout = nn.Dropout(dropout)
        self.cause = MLP((width, width, num_causes), dropout=dropout)

    def forward(self, words_BT: Tensor, alarms_BA: Tensor) -> Tensor:
        """Gives one score (logit) for each cause, shape B x C."""
        hidden_BW = torch.relu(self.words(words_BT) + self.alarms(alarms_BA))
        scores_BC: Tensor = self.cause(self.dropout(hidden_BW))
        return scores_BC
