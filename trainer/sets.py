"""The tickets that a model learns from, is validated with and tested with, as tensors.

Legend: N tickets, F columns.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from trainer import tables, tickets
from trainer.datasets import Desk, Vocabulary, drop_hedge_frames
from trainer.tables import Table

Examples = tuple[Tensor, Tensor]  # inputs (N, F), labels (N,)


@dataclass(frozen=True, kw_only=True)
class Sets:
    """Tickets to learn from, to validate with and to test with, by the split `by`.

    By device the three are three groups of devices. `cut` are the training inputs with the frames
    of hedges ("ruled out: ...") left out. The vocabulary holds words of training tickets only; they
    are the last columns of the inputs. `columns` says how a learner's own columns are read.
    """

    desk: Table
    by: str
    seed: int
    vocabulary: Vocabulary
    columns: tuple[dict[str, Any], ...]
    train: Examples
    cut: Tensor
    validation: Examples
    test: Examples
    test_rows: tickets.Ints

    @classmethod
    def of(
        cls,
        desk: Table,
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
        rows = tables.cut(desk, by=by, seed=seed)
        drawn = np.random.default_rng([seed, 2]).permutation(rows.train)[:count]
        words = tables.vocabulary(desk, drawn) if vocabulary is None else vocabulary
        labels = torch.from_numpy(desk.recorded)

        def inputs(chosen: tickets.Ints, *, is_cut: bool = False) -> Tensor:
            plain = tables.plain(desk, drawn, chosen)
            if is_cut and isinstance(desk, Desk):
                texts = [drop_hedge_frames(desk.texts[row]) for row in chosen]
                said = tickets.word_columns(texts, words)
            else:
                said = tables.words(desk, chosen, words)
            return tickets.join({"plain": plain, "words": said}, device)[0]

        def examples(chosen: tickets.Ints) -> Examples:
            return inputs(chosen), labels[torch.from_numpy(chosen)].to(device)

        test = tables.few(desk, rows.unseen, seed)
        validation = tables.few(desk, rows.validation, seed)
        parts = {"train": drawn, "validation": validation, "test": test}
        return cls(
            desk=desk,
            by=by,
            seed=seed,
            vocabulary=words,
            columns=tuple(tables.described(desk, drawn)),
            cut=inputs(drawn, is_cut=True),
            test_rows=test,
            **{name: examples(chosen) for name, chosen in parts.items()},
        )
