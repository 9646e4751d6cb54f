"""Lab 6.1, Latency or throughput: what batching buys, who pays, and a swap that loses nobody."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch.nn.functional as F

from trainer.arms import Arm
from trainer.batches import Batches
from trainer.flat import FlatAdamW
from trainer.loop import Step, fit
from trainer.models import TicketClassifier
from trainer.run import Run
from trainer.serve import loads
from trainer.serve.made import Shelf
from trainer.serve.private import Limits
from trainer.serve.serving import Serving, serving
from trainer.serve.sitting import SLICES, Sitting
from trainer.serve.swap import SLICES as SWAP
from trainer.serve.verdict import Verdict
from trainer.setting import choice, number
from trainer.travelling import keep, open_test, travel
from trainer.worker import ActiveRun

STAGE, NUMBER, TITLE, MINUTES, FORKS = "serving", "6.1", "Latency or throughput?", 1, False
PRESETS: dict[str, dict[str, Any]] = {"cpu": {}, "gpu": {"tickets": 8000, "width": 1024}}
MODELS = {"yours": "Your model", "wide": "A wide one, for its times only"}
LOOPS = {"open": "Open: nobody waits", "closed": "Closed: each waits for an answer"}
BESIDE = 0.3  # of the capacity, while the next version is trained
ALONE = 0.25  # of the training, before the loads; a first version gets as many steps
WEIGHT_DECAY = 3.0  # so that validation comes to rest instead of rising
SHOWN = ("bare", "trade", "sizes", "triton", "p99_times", "mean_rows")
FRESH = "Without a model to go on from."
Training = tuple[TicketClassifier, Sitting, Iterator[Step]]


@dataclass(frozen=True, kw_only=True)
class Config:
    """What a learner may change."""

    model: str = choice("yours", MODELS, label="Model", help="Who answers in the first half.")
    max_batch: int = number(
        32, 1, 128, scale="log", unit="tickets", label="Batch limit", help="Tickets in a batch."
    )
    delay_ms: float = number(0.0, 0.0, 50.0, unit="ms", label="Queue delay", help="Wait for more.")
    loop: str = choice("open", LOOPS, label="Callers", help="Who waits for whom.", advanced=True)
    rows: int = number(1, 1, 32, label="Tickets a request", help="Sent together.", advanced=True)
    seconds: float = number(
        1.6, 0.1, 4.0, unit="s", label="Length of a load", help="Of each point.", advanced=True
    )
    steps: int = number(9000, 20, 20_000, label="Steps", help="Of training.", advanced=True)
    tickets: int = number(2000, 50, 8000, label="Tickets", help=FRESH, advanced=True)
    width: int = number(128, 8, 2048, label="Width", help=FRESH, advanced=True)
    batch_size: int = number(32, 4, 8192, label="Batch size", help="Of training.", advanced=True)
    learning_rate: float = number(
        3e-5, 1e-6, 0.1, scale="log", label="Learning rate", help="Step size.", advanced=True
    )


def train(config: Config, run: ActiveRun) -> None:
    """Trains the next version, at first alone, then beside a load; between the two it measures."""
    shelf = Shelf(run, travel(run, tickets=config.tickets, width=config.width))
    arms = {"first": int(ALONE * config.steps)} if shelf.origin == "first" else {}
    arms["next"] = config.steps + loads.COUNT * SLICES + SWAP
    end, size = sum(arms.values()), config.batch_size
    run.show("by_the_clock", True)  # steps differ in length, so the curves share the run's clock
    run.plan(steps=end, steps_per_epoch=0, examples_per_step=size, arms=arms)
    for arm in run.arms(arms):
        (train_first if arm.name == "first" else train_next)(config, run, arm, shelf)
    if not run.should_stop:
        before, after = (shelf.network() for _ in range(2))
        run.log(end, **{"test/accuracy": open_test(run, shelf.journey.sets, before, after)})
        run.save("loads", run.results["next"])
        verdict = Verdict.of(run.results["next"], shelf)
        draw(run, verdict.samples())
        run.find("answers_per_s", *verdict.finding())


def begin(config: Config, run: ActiveRun, arm: Arm, shelf: Shelf) -> Training:
    """A model that goes on from the one that serves, where that is known, and its steps."""
    model = shelf.network(run.results.get("first", {}).get("weights"))
    optimizer = FlatAdamW(model, lr=config.learning_rate, weight_decay=WEIGHT_DECAY)
    sitting = Sitting(run, arm, model, optimizer, shelf.journey.sets.validation)
    steps = min(arm.steps, config.steps)
    start = sitting.trained(steps)
    data, size = shelf.journey.sets.train, config.batch_size
    batches = Batches(*data, batch_size=size, epochs=config.steps, seed=run.seed)
    training = fit(model, batches, optimizer, loss_fn=F.cross_entropy, start=start)
    return model, sitting, islice(training, steps - start)


def train_first(config: Config, run: ActiveRun, arm: Arm, shelf: Shelf) -> None:
    """There is nothing to serve yet, so this run trains a first version itself."""
    model, sitting, steps = begin(config, run, arm, shelf)
    for step in steps:
        if not sitting.log(sitting.losses(step)):
            return
    shelf.put(1, model)
    shelf.crown(1)
    sitting.finish(weights=model.state_dict())


# region loop
def train_next(config: Config, run: ActiveRun, arm: Arm, shelf: Shelf) -> None:
    """A quarter of the training alone, then the loads, the rest beside a load, and the swap."""
    model, sitting, steps = begin(config, run, arm, shelf)
    for step in islice(steps, max(0, int(ALONE * config.steps) - sitting.done)):
        if not sitting.log(sitting.losses(step)):
            return
    with serving(shelf, Limits.of(config)) as desk:
        if not measure(config, run, sitting, desk):
            return
        sitting.keep_on(desk.beside, BESIDE * loads.capacity(sitting.loads))
        for step in steps:
            found = sitting.losses(step)
            if step.index % max(1, config.steps // 25) == 0:
                found |= desk.beside.slice()  # what came since the last look
            if not sitting.log(found):
                return
        if sitting.swap(shelf, model, config.seconds / 6):
            keep(run, model, shelf.journey.sets, {"arm": "next"})


def measure(config: Config, run: ActiveRun, sitting: Sitting, desk: Serving) -> bool:
    """Put load after load on the endpoint; False when the run should end."""
    draw(run, desk.pictures(sitting.loads))
    while len(sitting.loads) < loads.COUNT:
        load = loads.following(sitting.loads, desk.limits, is_open=config.loop == "open")
        load |= {"seconds": config.seconds, "seed": run.seed + len(sitting.loads)}
        if not sitting.load(desk.measured, **load):
            return False
        draw(run, desk.pictures(sitting.loads))
    return True


# endregion


def draw(run: ActiveRun, values: dict[str, Any]) -> None:
    """Feeds the pictures, the prediction and the target."""
    for name in SHOWN:
        if name in values:
            run.show(name, values[name])


def expect(run: Run) -> None:
    """Every request was answered, batches add up to rows, and Little's law holds."""
    found = run.artifact("loads")
    for load in (*found["loads"], found["tally"]):
        assert load["answered"] + load["shed"] + load["failed"] == load["sent"]
        assert load["answered"] == load["sent"]
    for load in found["loads"]:
        assert all(count == int(count) for count in load["batches"].values())
        rows = sum(int(size) * count for size, count in load["batches"].items())
        assert rows == load["answered"]  # one ticket a request
    last = found["loads"][-1]
    assert 1 / 3 < last["inside"] / (last["per_s"] * last["mean_ms"] / 1000) < 3
