"""Lab 3.2, Same maths, more workers: whether training over several processes changes the answer."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch.nn.functional as F
from torch import Tensor

from trainer import overlap
from trainer.beginning import beginning
from trainer.replica import Batch, Recipe, Replica
from trainer.run import Run
from trainer.setting import choice, number, toggle
from trainer.side import Side, side
from trainer.speed_up import faster, table
from trainer.worker import ActiveRun

STAGE, NUMBER, TITLE, MINUTES, FORKS = "networking", "3.2", "Same maths, more workers", 1, True
# The ranks are processes on the CPU whatever the machine holds; a larger machine trains more.
PRESETS: dict[str, dict[str, Any]] = {
    "cpu": {},
    "gpu": {"width": 512, "batch_size": 1920, "tickets": 4000},
}
BATCHES = {"total": "All workers together", "each": "Each worker"}
LOOK_EVERY = 5  # steps from one look at checksums, distances and validation to the next
ROUNDING = 1e-5  # nats; what lies further apart differs by more than rounding
MADE_OF = ("tickets", "width", "begin", "learning_rate", "epsilon", "bucket_kib")
KINDS = {"none": 0.0, "rounding": ROUNDING, "small": 1e-2, "large": float("inf")}


@dataclass(frozen=True, kw_only=True)
class Config:
    """What a learner may change."""

    workers: int = number(4, 2, 4, label="Workers", help="Processes that train one model.")
    batch: str = choice("total", BATCHES, label="Batch size counts for", help="Who shares it.")
    forget: bool = toggle(False, label="Forget to average", help="Each keeps its own gradients.")
    steps: int = number(100, 10, 1000, label="Steps", help="Of both sides.", advanced=True)
    batch_size: int = number(
        240, 12, 7680, unit="tickets", label="Batch size", help="Cut evenly.", advanced=True
    )
    learning_rate: float = number(
        1e-3, 1e-5, 0.1, scale="log", label="Learning rate", help="Step size.", advanced=True
    )
    epsilon: float = number(
        1e-4, 1e-8, 1e-3, scale="log", label="Epsilon", help="AdamW's damping.", advanced=True
    )
    width: int = number(
        128, 8, 1024, unit="units", label="Width", help="Of a hidden layer.", advanced=True
    )
    tickets: int = number(
        1500, 200, 8000, unit="tickets", label="Tickets", help="To train on.", advanced=True
    )
    begin: str = beginning()
    bucket_kib: int = number(
        64, 4, 8192, scale="log", unit="KiB", label="Bucket", help="Sent at once.", advanced=True
    )


def train(config: Config, run: ActiveRun) -> None:
    """Trains the same model on both sides in lock-step and compares them."""
    n, given = config.workers, {name: getattr(config, name) for name in MADE_OF}
    alone = Recipe(**given, batch_size=config.batch_size // n * n)
    both = replace(alone, batch_size=alone.batch_size * (n if config.batch == "each" else 1))
    run.plan(steps=config.steps, steps_per_epoch=0, examples_per_step=both.batch_size)
    found = run.restored.get("found") or {"largest": 0.0, "times": []}
    with (
        side(run, "one", Replica(run, alone, one_step), 1) as one,
        side(run, "ddp", Replica(run, both, one_step), n, averages=not config.forget) as ddp,
    ):
        run.show("data", one.data)
        for step in range(run.from_step + 1, config.steps + 1):
            notes = compare(run, step, one, ddp, found)
            if step == 1 or step % LOOK_EVERY == 0 or step == config.steps:
                look(run, step, one, ddp, notes)
            if run.should_save(step):
                states = {each.name: each.states() for each in (one, ddp)}
                run.checkpoint({"found": found, "states": states})
            if run.should_stop:
                return
        about = {"workers": n, "averaged": not config.forget}
        run.log(config.steps, **{"test/accuracy": ddp.keep(about)})
    report(config, run, found)


# region step
def one_step(rank: Replica, batch: Batch, averages: bool) -> Tensor:
    """The same step on both sides: `rank.net` is the model itself, or the model in DDP's hands.

    DDP averages the gradients over all ranks while `backward` runs, and with `no_sync` forgets to.
    """
    tickets, causes = batch
    rank.optimizer.zero_grad()
    with nullcontext() if averages else rank.net.no_sync():
        with rank.clock("forward"):
            loss = F.cross_entropy(rank.net(tickets), causes)
        with rank.clock("backward"):
            loss.backward()  # type: ignore[no-untyped-call]
    with rank.clock("update"):
        rank.optimizer.step()
    return loss


# endregion


def compare(
    run: ActiveRun, step: int, one: Side, ddp: Side, found: dict[str, Any]
) -> list[dict[str, Any]]:
    """One step on each side, one after the other, so that neither takes the other's time."""
    alone, single = one.step(step)
    shared, notes = ddp.step(step)
    gap = abs(alone - shared)
    times = {
        f"{side}/step_ms": overlap.step_ms(each) for side, each in (("one", single), ("ddp", notes))
    }
    found["largest"] = max(found["largest"], gap)
    found["times"].append(list(times.values()))
    losses = {"one.train/loss": alone, "ddp.train/loss": shared, "ddp/loss_difference": gap}
    run.log(step, **losses, **times, **overlap.figures(notes))
    return notes


def look(run: ActiveRun, step: int, one: Side, ddp: Side, notes: list[dict[str, Any]]) -> None:
    """Between two steps: validates, compares what the ranks hold, and draws the step."""
    [single], ranks = one.look(), ddp.look()
    figures = {"ranks/distance": max(rank["distance"] for rank in ranks)}
    for name, first in (("one", single), ("ddp", ranks[0])):
        figures |= {f"{name}.val/{each}": first[f"val/{each}"] for each in ("loss", "accuracy")}
    run.log(step, **figures)
    sums = [[f"rank {k}", one["parameters"], one["gradients"]] for k, one in enumerate(ranks)]
    run.show("sums", {"columns": ["", "parameters", "gradients"], "rows": sums})
    run.show("overlap", overlap.picture(notes, step))


def report(config: Config, run: ActiveRun, found: dict[str, Any]) -> None:
    """The largest difference is the finding; times are shown, and promise nothing."""
    n, largest = config.workers, found["largest"]
    share = n if config.batch == "each" else 1
    run.show("took", table(found["times"], n, share))
    run.show("speed_about", faster(found["times"], share))
    run.show("difference_about", next(name for name, top in KINDS.items() if largest <= top))
    who = "nobody averaged the gradients" if config.forget else "their gradients were averaged"
    size = "each took a whole batch" if config.batch == "each" else "the batch was cut among them"
    text = (
        f"Over {config.steps} steps the losses of {n} workers and of one process lay at most "
        f"{largest:.2g} apart: {size}, and {who}."
    )
    run.find("loss_difference", largest, text)


def expect(run: Run) -> None:
    """No loss is further off than rounding, and all ranks hold the same to the last bit."""
    assert all(gap <= ROUNDING for _, gap in run.metric("ddp/loss_difference"))
    assert all(distance == 0 for _, distance in run.metric("ranks/distance"))
    for sums in run.samples("sums"):
        assert len({tuple(row[1:]) for row in sums["rows"]}) == 1
