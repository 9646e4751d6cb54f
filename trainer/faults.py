"""Real faults that a training does to its own process; nothing outside of it is touched."""

import os
import resource
import signal
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from trainer.worker import ActiveRun

FAULTS = {
    "kill": "Killed by signal 9",
    "hang": "Stands still",
    "nan": "A number that is none",
    "memory": "Out of memory",
    "disk": "The disk is full",
    "slow": "The disk is slow",
}
_MORE_THAN_ANY = 1 << 50  # bytes: no machine has them, so that no allocator can promise them
_SLOWER_S = 0.1  # a write to the disk takes so much longer


def spoil(fault: str, tickets: Tensor) -> Tensor:
    """Return the batch; with the fault `nan` one number of it is none, as from a broken file."""
    if fault != "nan":
        return tickets
    spoilt = tickets.clone()
    spoilt[0, 0] = torch.nan
    return spoilt


def strike(fault: str, run: ActiveRun, model: nn.Module) -> None:
    """Hurt this process after a step; what was logged so far is written before."""
    run.show("fault", fault)
    _HURTS[fault](model)


def _send(number: signal.Signals) -> Callable[[nn.Module], None]:
    return lambda _model: os.kill(os.getpid(), number)


def _exhaust(model: nn.Module) -> None:
    """Ask for more memory than there is; the allocator refuses, and nothing is taken."""
    device = next(model.parameters()).device
    too_much = _MORE_THAN_ANY
    if device.type == "cuda":
        too_much = 2 * torch.cuda.mem_get_info(device)[1]
    torch.empty(too_much, dtype=torch.uint8, device=device)


def _fill_disk(model: nn.Module) -> None:
    """Let no file of this process grow as large as a checkpoint.

    That holds the weights, their two moments and a little more: the kernel itself refuses the rest.
    """
    most = 3 * sum(weights.numel() * weights.element_size() for weights in model.parameters())
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))


def _slow_disk(_model: nn.Module) -> None:
    """Let this process wait longer for every write that must be safe on the disk."""
    quick = os.fsync

    def slow(file: int) -> None:
        time.sleep(_SLOWER_S)
        quick(file)

    os.fsync = slow  # type: ignore[assignment]  # in this process alone


_HURTS: dict[str, Callable[[nn.Module], None]] = {
    "kill": _send(signal.SIGKILL),
    "hang": _send(signal.SIGSTOP),
    "nan": lambda _model: None,  # the batch was spoilt already
    "memory": _exhaust,
    "disk": _fill_disk,
    "slow": _slow_disk,
}
