"""Lab 4.1, Follow one multiply: who does the work that one line of Python asks for."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
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
from trainer.beginning import beginning
from trainer.evaluation import Band, bars, score
from trainer.flat import FlatAdamW
from trainer.models import TicketClassifier
from trainer.run import Run
from trainer.setting import number
from trainer.trace import own_ns, traced
from trainer.traces import Traces
from trainer.travelling import Journey, travel
from trainer.worker import ActiveRun

STAGE, NUMBER, TITLE, MINUTES, FORKS = "software", "4.1", "Follow one multiply", 1, False
PRESETS: dict[str, dict[str, Any]] = {
    "cpu": {},
    "gpu": {"tickets": 8000, "width": 1024, "batch_size": 2048, "learning_rate": 0.001},
}
LINES = 5  # of Python in one step
GUESSES = {"about_10": 10, "about_50": 50, "about_150": 150, "about_500": 500}
Batch = tuple[Tensor, ...]
Line = Callable[[str], AbstractContextManager[Any]]


@dataclass(frozen=True, kw_only=True)
class Config:
    """What a learner may change."""

    batch_size: int = number(16, 4, 8192, label="Batch size", help="Tickets a step.")
    width: int = number(128, 8, 2048, label="Width", help="Of a fresh model.", unit="units")
    tickets: int = number(200, 50, 8000, label="Tickets", help="To learn from.", advanced=True)
    begin: str = beginning()
    learning_rate: float = number(
        5e-4, 1e-5, 0.1, scale="log", label="Learning rate", help="Step size.", advanced=True
    )
    steps: int = number(200, 20, 400, label="Steps", help="Of each training.", advanced=True)


def train(config: Config, run: ActiveRun) -> None:
    """Trains the travelling model twice from the same start: bare, then with every step traced."""
    journey = travel(run, tickets=config.tickets, width=config.width, begin=config.begin)
    per_epoch, size = -(-len(journey.sets.train[0]) // config.batch_size), config.batch_size
    arms = dict.fromkeys(("bare", "traced"), config.steps)
    run.plan(steps=2 * config.steps, steps_per_epoch=per_epoch, examples_per_step=size, arms=arms)
    for arm in run.arms(arms):
        train_arm(run, arm, journey, config)
    if not run.should_stop:
        report(run, journey, config)


# region step
def one_step(model: TicketClassifier, optimizer: FlatAdamW, batch: Batch, line: Line) -> Tensor:
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
    """Trains the steps of one arm; those of the second run under the profiler, every one."""
    data, model = journey.sets, journey.model()
    optimizer = FlatAdamW(model, lr=config.learning_rate)
    batches = Batches(*data.train, batch_size=config.batch_size, epochs=arm.steps, seed=run.seed)
    start = arm.restore(model, optimizer)
    traces = Traces(**arm.extra.get("traces", {}))
    kept = {"losses": [], "times_us": [], "traces": traces.as_dict()} | arm.extra
    numbered = zip(range(start + 1, arm.steps + 1), batches.from_step(start), strict=False)
    for step, batch in numbered:
        if arm.name == "traced":
            with traced(model, run.device) as spans:
                loss = one_step(model, optimizer, batch, record_function)
            traces.add(step, spans)
            run.log(arm.start + step, **{"traced.train/loss": loss.detach()})
        else:
            began = perf_counter()
            loss = one_step(model, optimizer, batch, nullcontext)
            kept["times_us"].append(1e6 * (perf_counter() - began))
            figures: dict[str, Any] = {"train/loss": loss.detach()}
            if step == 1 or step % 10 == 0:
                now = score(model, *data.validation)
                figures |= {"val/loss": now.loss, "val/accuracy": now.accuracy}
            run.log(step, **figures)
        kept["losses"].append(loss.item())
        if run.should_save(arm.start + step):
            run.checkpoint(arm.state(model, optimizer, step, **kept))
        if run.should_stop:
            return
    # endregion
    run.save("traces", kept.pop("traces"))
    arm.finish(kept)


def report(run: ActiveRun, journey: Journey, config: Config) -> None:
    """Draws the layers of every step, divides the time and counts the operators."""
    traces = Traces(**Run(run.path).artifact("traces"))
    steps = {step: traces.spans(step) for step in traces.steps}
    tickets, causes = (part[: config.batch_size] for part in journey.sets.train)
    library = multiplies.of_step(journey.model(), tickets, causes)
    bare, again = run.results["bare"], run.results["traced"]
    stacks = layers.stacks(steps, library, run.device)
    run.save("stacks", stacks | {"bare_us": median(bare["times_us"])})
    run.show("stack", {"artifact": "stacks", "chosen": config.steps // 2})
    parts = [layers.shares(spans) for step, spans in steps.items() if step != "1"]  # warm ones
    cut = 1 + len(parts) // 20  # the rare step in which the machine did something else
    bands = {name: Band.around(sorted(p[name] for p in parts)[cut:-cut]) for name in parts[0]}
    run.show("shares", {"unit": "of the step", "bars": bars(bands)})
    run.show("multiply_share", bands["multiply"].value)
    calls = set(map(layers.operator_calls, steps.values()))
    count, products = max(calls), layers.multiply_calls(steps["1"])
    run.show("calls_about", min(GUESSES, key=lambda name: abs(log(GUESSES[name] / count))))
    off = max(abs(a - b) for a, b in zip(bare["losses"], again["losses"], strict=True))
    run.show("largest_difference", off)
    each = "Each traced step" if len(calls) == 1 else "At most, a step"
    equal = "equal to the last bit" if off == 0 else f"up to {off:.1g} apart"
    text = (
        f"{each} turned five lines of Python into {count} operator calls; {products} of them were "
        f"matrix multiplications. With and without the profiler the losses are {equal}."
    )
    run.find("calls_per_step", count, text)


def expect(run: Run) -> None:
    """Spans nest and add up, all steps make as many calls, and multiplying takes under half."""
    traces, samples, calls = Traces(**run.artifact("traces")), run.record.samples, set()
    for spans in map(traces.spans, traces.steps):
        assert sum(own_ns(spans)) == spans[0].duration_ns
        assert min(own_ns(spans)) >= 0
        calls.add(layers.operator_calls(spans))
    assert len(calls) == 1
    assert min(calls) >= 10 * LINES
    assert samples["multiply_share"] < 0.5
    assert samples["largest_difference"] == 0
