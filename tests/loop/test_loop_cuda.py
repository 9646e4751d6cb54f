"""The loop on a CUDA GPU: no step waits for a value, and the order of the batches is the CPU's."""

import pytest
import torch
import torch.nn.functional as F

from trainer.batches import Batches
from trainer.flat import FlatAdamW
from trainer.loop import fit
from trainer.models import MLP

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here"),
]


def test_no_step_waits_for_the_gpu() -> None:
    torch.manual_seed(0)
    inputs, targets = torch.randn(256, 16).cuda(), torch.randint(0, 4, (256,)).cuda()
    model = MLP((16, 32, 4)).cuda()
    optimizer = FlatAdamW(model, lr=1e-3)
    batches = Batches(inputs, targets, batch_size=32, epochs=4, seed=0)
    steps = fit(model, batches, optimizer, loss_fn=F.cross_entropy, max_norm=1.0)
    next(steps)  # the first step sets the libraries up
    torch.cuda.set_sync_debug_mode("error")
    try:
        assert sum(1 for _ in steps) == 31
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_batches_come_in_the_order_of_the_cpu() -> None:
    rows = torch.arange(50)
    here = Batches(rows, batch_size=8, epochs=2, seed=3)
    there = Batches(rows.cuda(), batch_size=8, epochs=2, seed=3)
    for (one,), (two,) in zip(here.from_step(), there.from_step(), strict=True):
        assert torch.equal(one, two.cpu())
