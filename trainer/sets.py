"""The tickets that a model learns from, is validated with and tested with, as tensors.

Legend: N tickets, F columns.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from trainer import tickets
from trainer.datasets.splits import split
from trainer.datasets.store import Desk
from trainer.datasets.words import Vocabulary, drop_hedge_frames

Examples = tuple[Tensor, Tensor]  # inputs (N, F), labels (N,)


@dataclass(frozen=True, kw_only=True)
class Sets:
    """Tickets to learn from, to validate with and to test with, by the split `by`.

    By device the three are three groups of devices. `cut` are the training inputs with the frames
    of hedges ("ruled out: ...") left out. The vocabulary holds words of training tickets only; they
    are the last columns of the inputs.
    """

    desk: Desk
    by: str
    seed: int
    vocabulary: Vocabulary
    train: Examples
    cut: Tensor
    validation: Examples
    test: Examples
    test_rows: tickets.Ints

    @classmethod
    def of(
        cls,
        desk: Desk,
        count: int,
        seed: int,
        device: torch.device,
        *,
        by: str = "device",
        vocabulary: Vocabulary | None = None,
    ) -> Self:
        """Draws `count` tickets to learn from, as many as there are at most.

        The vocabulary is made of their words where none is given.
        """
        rows = split(desk, by=by, seed=seed)
        drawn = np.random.default_rng([seed, 2]).permutation(rows.train)[:count]
        words = vocabulary or Vocabulary.fit(desk.texts[row] for row in drawn)
        alarms = tickets.alarm_columns(desk)
        labels = torch.from_numpy(desk.recorded)

        def inputs(chosen: tickets.Ints, *, is_cut: bool = False) -> Tensor:
            texts = [desk.texts[row] for row in chosen]
            texts = [drop_hedge_frames(text) for text in texts] if is_cut else texts
            blocks = {"alarms": alarms[chosen], "words": tickets.word_columns(texts, words)}
            return tickets.join(blocks, device)[0]

        def examples(chosen: tickets.Ints) -> Examples:
            return inputs(chosen), labels[torch.from_numpy(chosen)].to(device)

        parts = {"train": drawn, "validation": rows.validation, "test": rows.unseen}
        return cls(
            desk=desk,
            by=by,
            seed=seed,
            vocabulary=words,
            cut=inputs(drawn, is_cut=True),
            test_rows=rows.unseen,
            **{name: examples(chosen) for name, chosen in parts.items()},
        )
