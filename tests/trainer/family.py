"""A toy that forks: two toy runs as its children, followed to their end."""

import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from trainer.setting import number

NAMES = ("one", "two")


@dataclass(frozen=True, kw_only=True)
class Config:
    """How long the children are, and how slow."""

    steps: int = number(300, 1, 100_000, label="Steps", help="Of each child.")
    slow_s: float = number(0.0, 0.0, 60.0, label="Wait", help="In each step.", unit="s")
    fail_at: int = number(0, 0, 100_000, label="Fail at", help="Each child fails there, always.")


def train(config: Config, run: Any) -> None:
    """Start both, show their losses as the parent's own, and start again what died."""
    from tests.trainer import toy
    from trainer.children import Children
    from trainer.run import Run

    settings = {"steps": config.steps, "slow_s": config.slow_s, "fail_at": config.fail_at}
    run.plan(steps=config.steps, steps_per_epoch=0, examples_per_step=16)
    told = {name: len(Run(run.path).metric(f"{name}.train/loss")) for name in NAMES}
    with Children(run) as children:
        for name in NAMES:
            children.add(name, settings)
        while not all(child.is_finished for child in children.all.values()):
            for name, child in children.all.items():
                children.start(child, toy.LAB)
                _follow(run, name, child, told)
            if run.should_save(min(told.values())):
                run.checkpoint({})
            if run.should_stop:
                children.stop()
                return
            time.sleep(0.005)
        for name in NAMES:
            _follow(run, name, children.all[name], told)
    run.find("last_step", min(told.values()), "Both have finished.")


def _follow(run: Any, name: str, child: Any, told: dict[str, int]) -> None:
    for event in child.news():
        if event.kind == "metrics" and event.step > told[name]:
            told[name] = event.step
            run.log(event.step, **{f"{name}.train/loss": event.values["train/loss"]})


def expect(run: Any) -> None:
    """Both do the same."""
    assert run.metric("one.train/loss") == run.metric("two.train/loss")


LAB = SimpleNamespace(Config=Config, PRESETS={"cpu": {}}, FORKS=True, train=train, expect=expect)
