"""Shuffled batches of tensors that already lie on the device; reading files is left to others."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import torch
from torch import Tensor


class Batches:
    """Batches whose order is a pure function of seed and step, so a resume needs no stored order.

    Epoch e is shuffled by a generator of its own, seeded by (seed, e), on the CPU: the order is
    the same on every device. The shuffled epoch is gathered once and then cut into views, which
    is cheaper than picking the rows of each batch. The last batch of an epoch may be smaller.
    """

    def __init__(self, *tensors: Tensor, batch_size: int, epochs: int, seed: int) -> None:
        """Takes tensors of equal length (inputs first, targets last) and cuts them together."""
        lengths = {len(tensor) for tensor in tensors}
        if len(lengths) != 1 or lengths == {0}:
            raise ValueError(f"batches need tensors of one length above 0, got {sorted(lengths)}")
        self.tensors = tensors
        self.batch_size = batch_size
        self.epochs = epochs
        self.seed = seed
        self.steps_per_epoch = -(-len(tensors[0]) // batch_size)

    @property
    def steps(self) -> int:
        """Steps in all epochs together."""
        return self.epochs * self.steps_per_epoch

    def order(self, epoch: int) -> Tensor:
        """The row numbers in the order of that epoch."""
        state = np.random.SeedSequence((self.seed, epoch)).generate_state(1)
        generator = torch.Generator().manual_seed(int(state[0]))
        return torch.randperm(len(self.tensors[0]), generator=generator)

    def from_step(self, start: int = 0) -> Iterator[tuple[Tensor, ...]]:
        """Yields what follows after `start` finished steps, as (inputs, ..., targets)."""
        first_epoch, skipped = divmod(start, self.steps_per_epoch)
        for epoch in range(first_epoch, self.epochs):
            yield from islice(self._epoch(epoch), skipped, None)
            skipped = 0

    def _epoch(self, epoch: int) -> Iterator[tuple[Tensor, ...]]:
        order = self.order(epoch)
        device = self.tensors[0].device
        if device.type == "cuda":  # pinned, so that the copy does not wait for the GPU
            order = order.pin_memory().to(device, non_blocking=True)
        shuffled = (tensor.index_select(0, order) for tensor in self.tensors)
        return zip(*(torch.split(tensor, self.batch_size) for tensor in shuffled), strict=True)
