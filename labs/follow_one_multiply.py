"""Lab 4.1, Follow one multiply: who does the work that one line of Python asks for."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from math import log
from statistics import median
from time import perf_counter
from typing import Any

import torch.nn.functional as F
from torch import Tensor
from torch.profiler import record_function

from trainer import layers, multiplies
from trainer.arms import Arm
from trainer.batches import Batches
from trainer.evaluation import Band, bars, score
from trainer.flat import FlatAdamW
from trainer.models import TicketClassifier
from trainer.run import Run
from trainer.setting import number
from trainer.trace import COLUMNS, from_rows, own_ns, traced
from trainer.travelling import Journey, travel
from trainer.worker import ActiveRun

STAGE, NUMBER, TITLE, MINUTES, FORKS = "software", "4.1", "Follow one multiply", 1, False
PRESETS: dict[str, dict[str, Any]] = {
    "cpu": {},
    "gpu": {"tickets": 8000, "width": 1024, "batch_size": 2048, "learning_rate": 0.001},
}
STEPS, LINES = 200, 5  # of the training; of Python in one step
COMPARED = (1, *range(25, STEPS + 1, 25))  # traced beside the learner's own step
GUESSES = {"about_10": 10, "about_50": 50, "about_150": 150, "about_500": 500}
Line = Callable[[str], AbstractContextManager[Any]]


@dataclass(frozen=True, kw_only=True)
class Config:
    """What a learner may change."""

    traced_step: int = number(100, 1, STEPS, label="Step to follow", help="The stack shows it.")
    batch_size: int = number(16, 4, 8192, label="Batch size", help="Tickets a step.")
    width: int = number(
        128, 8, 2048, label="Width", help="Units a hidden layer of a fresh model.", unit="units"
    )
    tickets: int = number(
        200, 50, 8000, label="Tickets", help="A fresh model learns from.", advanced=True
    )
    learning_rate: float = number(
        5e-4, 1e-5, 0.1, scale="log", label="Learning rate", help="Step size.", advanced=True
    )


def train(config: Config, run: ActiveRun) -> None:
    """Trains the travelling model for 200 steps and traces some of them."""
    journey = travel(run, tickets=config.tickets, width=config.width)
    per_epoch = -(-len(journey.sets.train[0]) // config.batch_size)
    run.plan(steps=STEPS, steps_per_epoch=per_epoch, examples_per_step=config.batch_size)
    for arm in run.arms({"travelling": STEPS}):
        train_arm(run, arm, journey, config)
    if not run.should_stop:
        report(run, str(config.traced_step))


# region step
def one_step(
    model: TicketClassifier, optimizer: FlatAdamW, batch: tuple[Tensor, ...], line: Line
) -> Tensor:
    """One training step. In a traced step `line` marks each line of it in the trace."""
    tickets, causes = batch
    with line("optimizer.zero_grad()"):
        optimizer.zero_grad()
    with line("scores = model(tickets)"):
        scores = model(tickets)
    with line("loss = F.cross_entropy(scores, causes)"):
        loss = F.cross_entropy(scores, causes)
    with line("loss.backward()"):
        loss.backward()  # type: ignore[no-untyped-call]
    with line("optimizer.step()"):
        optimizer.step()
    return loss


# endregion


# region loop
def train_arm(run: ActiveRun, arm: Arm, journey: Journey, config: Config) -> None:
    """Trains; most steps run bare, a few under the profiler."""
    data, model = journey.sets, journey.model()
    optimizer = FlatAdamW(model, lr=config.learning_rate)
    batches = Batches(*data.train, batch_size=config.batch_size, epochs=STEPS, seed=run.seed)
    start = arm.restore(model, optimizer)
    traces, bare_us = arm.extra.get("traces", {}), arm.extra.get("bare_us", [])
    numbered = zip(range(start + 1, STEPS + 1), batches.from_step(start), strict=False)
    for step, batch in numbered:
        if step in (config.traced_step, *COMPARED):
            with traced(model, run.device) as spans:
                loss = one_step(model, optimizer, batch, record_function)
            traces[str(step)] = [span.as_row() for span in spans]
        else:
            began = perf_counter()
            loss = one_step(model, optimizer, batch, nullcontext)
            bare_us.append(1e6 * (perf_counter() - began))
        figures: dict[str, Any] = {"train/loss": loss.detach()}
        if step == 1 or step % 10 == 0:
            now = score(model, *data.validation)
            figures |= {"val/loss": now.loss, "val/accuracy": now.accuracy}
        run.log(step, **figures)
        if run.should_save(step):
            run.checkpoint(arm.state(model, optimizer, step, traces=traces, bare_us=bare_us))
        if run.should_stop:
            return
    # endregion
    run.save("trace", {"columns": list(COLUMNS), "steps": traces})
    rows = [part[: config.batch_size] for part in data.train]
    library = [asdict(call) for call in multiplies.of_step(model, *rows)]
    arm.finish({"traces": traces, "bare_us": bare_us, "library": library})


def report(run: ActiveRun, chosen: str) -> None:
    """Draws the layers, divides the time and counts the operators of the followed step."""
    found = run.results["travelling"]
    steps = {step: from_rows(rows) for step, rows in found["traces"].items()}
    library = [multiplies.Call(**call) for call in found["library"]]
    stacks = {step: layers.stack(spans, library, run.device) for step, spans in steps.items()}
    times = {step: spans[0].duration_ns / 1000 for step, spans in steps.items()}
    times["bare"] = median(found["bare_us"])
    run.show("stack", {"chosen": chosen, "step_us": times, "steps": stacks})
    parts = {step: layers.shares(spans) for step, spans in steps.items()}
    warm = [part for step, part in parts.items() if step != "1"]  # the first step sets things up
    bands = {name: Band.around([part[name] for part in warm]) for name in parts["1"]}
    run.show("shares", {"unit": "of the step", "bars": bars(bands)})
    run.show("multiply_share", bands["multiply"].value)
    calls = {step: layers.operator_calls(spans) for step, spans in steps.items()}
    count, products = calls[chosen], layers.multiply_calls(steps[chosen])
    run.show("calls_about", min(GUESSES, key=lambda name: abs(log(GUESSES[name] / count))))
    same = "the same number" if len(set(calls.values())) == 1 else "different numbers"
    text = (
        f"In step {chosen}, five lines of Python became {count} operator calls; {products} of them "
        f"were matrix multiplications. The {len(calls)} traced steps made {same} of calls."
    )
    run.find("calls_per_step", count, text)


def expect(run: Run) -> None:
    """Spans nest and add up, all steps make as many calls, and multiplying takes under half."""
    steps = [from_rows(rows) for rows in run.artifact("trace")["steps"].values()]
    for spans in steps:
        assert sum(own_ns(spans)) == spans[0].duration_ns
        assert min(own_ns(spans)) >= 0
    calls = {layers.operator_calls(spans) for spans in steps}
    assert len(calls) == 1
    assert min(calls) >= 10 * LINES
    assert run.record.samples["multiply_share"] < 0.5
