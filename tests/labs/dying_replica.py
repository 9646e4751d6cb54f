"""Same maths with a rank that is killed in the middle of a step, while the others wait for it."""

import os
import signal

import torch.distributed as dist
from torch import Tensor

from labs import same_maths
from tests.labs import apart
from trainer.replica import Batch, Replica

DIES_AT = 14
_ONE_STEP = same_maths.one_step
_taken: list[int] = []  # steps of this process


def _dies_in_a_step(rank: Replica, batch: Batch, averages: bool) -> Tensor:
    _taken.append(1)
    if len(_taken) == DIES_AT and dist.is_initialized() and dist.get_rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return _ONE_STEP(rank, batch, averages)


def main(*words: str) -> int:
    same_maths.one_step = _dies_in_a_step
    return apart.main(*words)
