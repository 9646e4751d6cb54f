"""Lab 2.5, Four brakes: when more training starts to hurt, and what holds the hurt down."""

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any

import torch.nn.functional as F

from trainer.arms import Arm
from trainer.batches import Batches
from trainer.evaluation import Band, bars, least, score
from trainer.flat import FlatAdamW
from trainer.loop import fit
from trainer.models import TicketClassifier
from trainer.run import Run
from trainer.setting import number, toggle
from trainer.stopping import BestStep
from trainer.tables import lacks
from trainer.tickets import ceiling_lines
from trainer.travelling import Journey, keep, open_test, travel
from trainer.worker import ActiveRun

STAGE, NUMBER, TITLE, MINUTES, FORKS = "training", "2.5", "Four brakes", 1, False
PRESETS: dict[str, dict[str, Any]] = {
    "cpu": {},
    "gpu": {"tickets": 8000, "width": 1024, "batch_size": 2048, "learning_rate": 0.001},
}
SEEDS = ("", "_2", "_3")  # one run may be luck
BRAKES = ("weight_decay", "dropout", "augmentation", "early_stopping", "cut_hedges")


@dataclass(frozen=True, kw_only=True)
class Config:
    """What a learner may change; a brake of strength 0 is off."""

    tickets: int = number(200, 50, 8000, label="Tickets", help="To train on.", unit="tickets")
    width: int = number(128, 8, 2048, label="Width", help="Units in a hidden layer.", unit="units")
    label_noise: float = number(
        0.06, 0.0, 0.5, label="Wrong labels", help="Share, where the tickets are the usual ones."
    )
    weight_decay: float = number(
        0.6, 0.0, 10.0, label="Weight decay", help="Pull of weights to 0.", advanced=True
    )
    dropout: float = number(0.5, 0.0, 0.9, label="Dropout", help="Share of units.", advanced=True)
    augmentation: float = number(
        0.3, 0.0, 0.9, label="Augmentation", help="Share of words left out.", advanced=True
    )
    early_stopping: int = number(
        5, 0, 50, label="Early stopping", help="Epochs without a new best.", advanced=True
    )
    cut_hedges: bool = toggle(
        True, label="Cut hedges", help="Also train without 'ruled out:' etc.", advanced=True
    )
    epochs: int = number(60, 2, 300, label="Epochs", help="Rounds of training.", advanced=True)
    batch_size: int = number(16, 4, 8192, label="Batch size", help="Tickets a step.", advanced=True)
    learning_rate: float = number(
        5e-4, 1e-5, 0.1, scale="log", label="Learning rate", help="Step size.", advanced=True
    )


def alone(config: Config, missing: Container[str] = ()) -> dict[str, Config]:
    """The same settings without a brake, then with each brake that has a strength, by itself."""
    none = replace(config, **dict.fromkeys(BRAKES, 0))  # type: ignore[arg-type]
    pulled = {
        name: replace(none, **{name: getattr(config, name)})
        for name in BRAKES
        if name not in missing
    }
    return {"none": none} | {name: one for name, one in pulled.items() if one != none}


def train(config: Config, run: ActiveRun) -> None:
    """Trains without a brake and with each, three seeds each, and keeps the best model."""
    journey = travel(
        run, tickets=config.tickets, width=config.width, label_noise=config.label_noise
    )
    data, singles = journey.sets, alone(config, lacks(journey.sets.desk))
    arms = {n + SEEDS[k]: (one, run.seed + k) for k in range(3) for n, one in singles.items()}
    per_epoch = -(-len(data.train[0]) // config.batch_size)
    steps = dict.fromkeys(arms, config.epochs * per_epoch)
    end, size = sum(steps.values()), config.batch_size
    run.plan(steps=end, steps_per_epoch=per_epoch, examples_per_step=size, arms=steps)
    run.show("ceiling", ceiling_lines(data.desk, words=True, devices=(False,)), origin="C")
    for arm in run.arms(steps):
        train_arm(run, arm, journey, *arms[arm.name])
    if not run.should_stop:
        chosen = min(run.results, key=lambda name: run.results[name]["kept"])
        before, after = (build(journey, *arms[chosen]) for _ in range(2))
        run.log(end, **{"test/accuracy": open_test(run, data, before, after)})
        report(run, list(singles), chosen)


def build(journey: Journey, config: Config, seed: int) -> TicketClassifier:
    """The travelling model with the brakes that are built into it."""
    return journey.model(seed=seed, dropout=config.dropout, word_dropout=config.augmentation)


# region loop
def train_arm(run: ActiveRun, arm: Arm, journey: Journey, config: Config, seed: int) -> None:
    """Trains one model; after each epoch it answers the validation tickets."""
    data, model = journey.sets, build(journey, config, seed)
    optimizer = FlatAdamW(model, lr=config.learning_rate, weight_decay=config.weight_decay)
    learned = (data.cut if config.cut_hedges else data.train[0], data.train[1])
    batches = Batches(*learned, batch_size=config.batch_size, epochs=config.epochs, seed=seed)
    start = arm.restore(model, optimizer)
    best = BestStep(config.early_stopping, arm.extra)
    prefix = "" if arm.name == "none" else f"{arm.name}."
    for step in fit(model, batches, optimizer, loss_fn=F.cross_entropy, start=start):
        figures: dict[str, Any] = {f"{prefix}train/loss": step.loss}
        if step.index % batches.steps_per_epoch == 0:
            now = score(model, *data.validation)
            figures |= {f"{prefix}val/loss": now.loss, f"{prefix}val/accuracy": now.accuracy}
            best.see(now.loss, model)
        at = arm.start + step.index
        run.log(at, **figures)
        if best.is_over:
            break
        if run.should_save(at):
            run.checkpoint(arm.state(model, optimizer, step.index, **best.state()))
        if run.should_stop:
            return
    best.put_back(model)  # early stopping keeps the best step
    # endregion
    kept = score(model, *data.validation).loss
    if kept < min((found["kept"] for found in run.results.values()), default=float("inf")):
        keep(run, model, data, {"arm": arm.name, "width": config.width})
    arm.finish({"losses": best.losses, "turn_epoch": best.turn_epoch, "kept": kept})


def report(run: ActiveRun, names: list[str], chosen: str) -> None:
    """Says when validation turned, and which brake held the rise down over the seeds."""
    losses = {name: [run.results[name + seed]["losses"] for seed in SEEDS] for name in names}
    rises = {n: Band.of([each[-1] - min(each) for each in found]) for n, found in losses.items()}
    run.show("brakes", {"unit": "nats", "bars": bars(rises)})
    tied = least({name: band for name, band in rises.items() if name in BRAKES[:4]})
    run.show("best_brake", tied)
    lasting = [band.value for name, band in rises.items() if name not in BRAKES[3:]]
    run.show("rise_after_turn", min(lasting))
    turn, own = run.results["none"]["turn_epoch"], losses["none"][0]
    text = (
        f"Without a brake validation loss was lowest after epoch {turn} of {len(own)} and then "
        f"rose by {own[-1] - min(own):.2f} nats. Over three seeds the rise was held down best by "
        f"{' and '.join(tied) or 'no brake'}{' (a tie)' if len(tied) > 1 else ''}. "
        f"The model kept for later stages comes from the arm {chosen}."
    )
    run.find("turn_epoch", turn, text.replace("_", " "))


def expect(run: Run) -> None:
    """Loss turns early and rises while accuracy holds; weight decay cuts the rise by a third."""
    losses = [value for _, value in run.metric("val/loss")]
    accuracy = [value for _, value in run.metric("val/accuracy")]
    turn = losses.index(min(losses))
    assert turn < len(losses) / 2
    assert losses[-1] - losses[turn] >= 0.1
    assert accuracy[turn] - accuracy[-1] < 0.03
    rise = {bar["name"]: bar["value"] for bar in run.record.samples["brakes"]["bars"]}
    assert rise["weight_decay"] <= rise["none"] * 2 / 3
