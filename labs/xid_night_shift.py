"""Lab 5.4, Xid night shift: a training is hurt for real, and brought back from its checkpoint."""

import time
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite
from typing import Any

import torch.nn.functional as F

from trainer import faults, goodput
from trainer.batches import Batches
from trainer.beginning import beginning
from trainer.children import Children, Work
from trainer.evaluation import score
from trainer.flat import FlatAdamW
from trainer.run import Run
from trainer.setting import choice, number
from trainer.travelling import keep, travel
from trainer.watch import Curves, Watch, costs
from trainer.worker import ActiveRun

STAGE, NUMBER, TITLE, MINUTES, FORKS = "operations", "5.4", "Xid night shift", 1, True
PRESETS: dict[str, dict[str, Any]] = {
    "cpu": {},
    "gpu": {"tickets": 8000, "width": 1024, "batch_size": 2048, "learning_rate": 0.001},
}
STEPS, LOOK_S, MTBF_S = 1000, 0.03, 600.0
ABOUT = {"second": 1.0, "seconds": 6.0, "half_minute": 36.0, "minutes": 216.0}


@dataclass(frozen=True, kw_only=True)
class Config:
    """What a learner may change."""

    fault: str = choice("kill", faults.FAULTS, label="Fault", help="What happens to the training.")
    interval: int = number(
        100, 10, STEPS, label="Checkpoint every", unit="steps", help="Steps from save to save."
    )
    fault_step: int = number(575, 1, STEPS, label="Fault in step", help="When it happens.")
    patience_s: float = number(
        1.5, 0.5, 30.0, label="Patience", unit="s", help="Silence that counts.", advanced=True
    )
    tickets: int = number(1500, 50, 8000, label="Tickets", help="To train on.", advanced=True)
    begin: str = beginning()
    width: int = number(256, 8, 2048, label="Width", help="Units in a layer.", advanced=True)
    batch_size: int = number(256, 4, 8192, label="Batch size", help="A step's.", advanced=True)
    learning_rate: float = number(
        5e-5, 1e-5, 0.1, scale="log", label="Learning rate", help="Step size.", advanced=True
    )


# region loop
def train_child(config: Config, run: ActiveRun, *, strike_at: int = 0) -> None:
    """Trains the travelling model and saves it regularly; in the step `strike_at` it is hurt."""
    journey = travel(run, tickets=config.tickets, width=config.width, begin=config.begin)
    data, model = journey.sets, journey.model()
    optimizer = FlatAdamW(model, lr=config.learning_rate)
    batches = Batches(*data.train, batch_size=config.batch_size, epochs=STEPS, seed=run.seed)
    for arm in run.arms({"travelling": STEPS}):
        start = arm.restore(model, optimizer)  # weights, moments, random state
        numbered = zip(range(start + 1, STEPS + 1), batches.from_step(start), strict=False)
        for step, (tickets, causes) in numbered:
            is_hit = step == strike_at
            optimizer.zero_grad()
            scores = model(faults.spoil(config.fault, tickets) if is_hit else tickets)
            loss = F.cross_entropy(scores, causes)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            figures = {"train/loss": loss.item()}
            if step == STEPS:
                figures["val/accuracy"] = score(model, *data.validation).accuracy
            run.log(step, **figures)
            if is_hit:
                faults.strike(config.fault, run, model)
            has_to_stop = run.should_save(step) and run.should_stop
            is_due = step % config.interval == 0 or step == STEPS or has_to_stop
            if is_due and isfinite(figures["train/loss"]):  # a poisoned one would help nobody
                run.checkpoint(arm.state(model, optimizer, step))
            if has_to_stop:
                return
    keep(run, model, data, {"width": config.width})


# endregion


def train(config: Config, run: ActiveRun) -> None:
    """Trains twice from the same seed, watches both, and brings back the one that is hurt."""
    series = ("undisturbed", "hurt", "resumed")
    arms, size = dict.fromkeys(series, STEPS), config.batch_size
    run.plan(steps=STEPS, steps_per_epoch=0, examples_per_step=size, arms=arms, side_by_side=True)
    curves = Curves(run, series)
    with Children(run) as children:
        ward = [Watch(children.add(n, asdict(config)), n, config.patience_s) for n in series[:2]]
        while not all(watch.child.is_finished for watch in ward):
            for watch in ward:
                curves.follow(watch)
                look_after(config, children, watch)
            if run.should_save(max(curves.steps.values())):
                run.checkpoint({})  # all else stands in the children's own folders
            if run.should_stop:
                children.stop()
                return
            time.sleep(LOOK_S)
        for watch in ward:
            curves.follow(watch)
    report(config, run, *ward)


# region resume
def look_after(config: Config, children: Children, watch: Watch) -> None:
    """Ends what is left of a sick training and lets it go on from its last good checkpoint."""
    child, symptom = watch.child, watch.look()
    if symptom is None:
        return
    if symptom in ("not_finite", "slow_saves"):  # it still answers: ask it to stop
        symptom = watch.stop(symptom)
    child.kill()
    if watch.is_hurt and not watch.is_mended:
        child.run.note(symptom=watch.words(symptom))
        if symptom != "slow_saves":  # that one saved its last step when it was asked to stop
            regular = [step for step in child.checkpoints() if step % config.interval == 0]
            child.roll_back(max(regular, default=0))
    is_ahead = watch.name == "hurt" and not watch.is_hurt
    # The cause is removed: nothing strikes a second time.
    strike_at = config.fault_step if is_ahead else 0
    children.start(child, Work(Config, PRESETS, partial(train_child, strike_at=strike_at)))


# endregion


def report(config: Config, run: ActiveRun, whole: Watch, hurt: Watch) -> None:
    """Keeps the mended model, counts the steps, and asks which interval would have been best."""
    for name in ("model.safetensors", "config.json"):
        run.save(name, (hurt.child.run.path / "artifacts" / name).read_bytes())
    measured = costs(whole, hurt, MTBF_S)
    found = goodput.picture(measured, config.interval * measured.step_s, run.seed)
    run.show("goodput", found, origin="S")
    run.show("best_interval", goodput.nearest(found["best"][0], ABOUT), origin="S")
    run.show("share_of_best", found["own"][1] / found["young"][1], origin="C")
    equal = sum(hurt.losses[step] == loss for step, loss in whole.losses.items())
    run.show("equal_losses", equal)
    began = min(whole.began_t, hurt.began_t)
    run.show("night", {"lanes": [[watch.name, watch.night(began)] for watch in (whole, hurt)]})
    text = f"{hurt.told()} {equal:,} of {STEPS:,} losses equal the undisturbed run's, bit for bit."
    run.find("steps_again", len(hurt.again), text)


def expect(run: Run) -> None:
    """What was lost is computed again to the last bit; too many saves lose as too few do."""
    curves = {name: dict(run.metric(f"{name}.train/loss")) for name in ("undisturbed", "hurt")}
    resumed = dict(run.metric("resumed.train/loss"))
    assert curves["hurt"] | resumed == curves["undisturbed"]
    assert run.finding is not None
    assert run.finding.value == max(curves["hurt"]) - min(resumed) + 1
    found = run.record.samples["goodput"]
    assert found["best"][1] > max(found["points"][0][1], found["points"][-1][1])
    assert abs(found["best"][1] - found["young"][1]) < 0.01
