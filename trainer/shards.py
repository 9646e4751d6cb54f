"""Which rows of a data set a step reads, and which of them each rank: a function of seed and step.

The epochs, each shuffled anew, stand one after another in one endless row. A step takes the next
rows of it, so every batch is full, and the ranks cut it into shares of equal size.
"""

from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class Shards:
    """The share of one rank in each batch of `batch_size` rows out of `count`."""

    def __init__(
        self, count: int, batch_size: int, *, rank: int, world_size: int, seed: int
    ) -> None:
        """Cuts batches into `world_size` shares and keeps that of `rank`."""
        assert batch_size % world_size == 0, "a row of a smaller share would count for more"
        self.count, self.batch_size, self.seed = count, batch_size, seed
        self._share = batch_size // world_size
        self._first = rank * self._share

    def rows(self, step: int) -> Tensor:
        """The rows that this rank reads in a step; steps are numbered from 1."""
        start = (step - 1) * self.batch_size + self._first
        epochs, places = np.divmod(np.arange(start, start + self._share), self.count)
        parts = [
            _order(self.seed, int(epoch), self.count)[places[epochs == epoch]]
            for epoch in np.unique(epochs)
        ]
        return torch.from_numpy(np.concatenate(parts))


@lru_cache(maxsize=2)
def _order(seed: int, epoch: int, count: int) -> NDArray[np.int64]:
    return np.random.default_rng([seed, 3, epoch]).permutation(count)
