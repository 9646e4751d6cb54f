"""The training loop, written once: forward, loss, backward, update.

What to do with a step is left to the caller, who iterates and may stop at any time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer

from trainer.batches import Batches


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One optimizer update, as the caller sees it.

    `loss` and `grad_norm` stay on the device: reading a GPU value waits for the GPU, so whoever
    draws them reads them when they are due. `seconds` is the time to launch the step.
    """

    index: int
    loss: Tensor
    learning_rate: float
    grad_norm: Tensor | None
    examples: int
    seconds: float


def fit(
    model: nn.Module,
    batches: Batches,
    optimizer: Optimizer,
    *,
    loss_fn: Callable[[Tensor, Tensor], Tensor],
    start: int = 0,
    schedule: Callable[[int], float] | None = None,
    max_norm: float | None = None,
) -> Iterator[Step]:
    """Trains `model` and yields a `Step` after each update, numbered from `start` + 1.

    Args:
        model: Called with all tensors of a batch but the last.
        batches: The last tensor of each batch is the target.
        optimizer: Holds the parameters of `model`.
        loss_fn: Takes output and target, gives the mean loss of the batch.
        start: Steps that are done already; the batches go on after them.
        schedule: Gives the learning rate of a step; without it the optimizer's stays.
        max_norm: Longer gradients are cut to this length.
    """
    for index, (*inputs, targets) in enumerate(batches.from_step(start), start + 1):
        began = perf_counter()
        if schedule is not None:
            for group in optimizer.param_groups:
                group["lr"] = schedule(index)
        optimizer.zero_grad()
        loss = loss_fn(model(*inputs), targets)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = None if max_norm is None else clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        yield Step(
            index=index,
            loss=loss.detach(),
            learning_rate=optimizer.param_groups[0]["lr"],
            grad_norm=norm,
            examples=len(targets),
            seconds=perf_counter() - began,
        )
