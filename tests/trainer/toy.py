"""A toy entry for the engine's own tests: a lab that the engine has never heard of."""

import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from trainer.setting import number, toggle


@dataclass(frozen=True, kw_only=True)
class Config:
    """Settings of the toy: a least-squares fit that can be slow, fail or fall silent."""

    steps: int = number(400, 1, 100_000, label="Steps", help="How long it trains.")
    slow_s: float = number(
        0.0, 0.0, 60.0, label="Wait", help="Waits so long in each step.", unit="s"
    )
    fail_at: int = number(0, 0, 100_000, label="Fail at", help="Raises at this step; 0: never.")
    deaf: bool = toggle(False, label="Deaf", help="Ignores every signal but the last.")


def train(config: Config, run: Any) -> None:
    """Fit a line; dropout and AdamW make weights, moments and random states matter on a resume."""
    import time

    import torch

    run.plan(
        steps=config.steps, steps_per_epoch=10, examples_per_step=16, arms={"one": config.steps}
    )
    for arm in run.arms({"one": config.steps}):
        model = torch.nn.Sequential(
            torch.nn.Linear(4, 16), torch.nn.Dropout(0.3), torch.nn.Linear(16, 1)
        )
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        for step in range(arm.restore(model, optimizer) + 1, config.steps + 1):
            x = torch.randn(16, 4, generator=torch.Generator().manual_seed(step))
            loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            run.log(step, **{"train/loss": loss.detach()})
            if config.fail_at == step:
                raise RuntimeError("the toy was told to fail")
            if config.deaf and step == 1:
                _go_deaf(run)
            time.sleep(config.slow_s)
            if run.should_save(step):
                run.checkpoint(arm.state(model, optimizer, step))
            if run.should_stop:
                return
        arm.finish({"loss": loss.item()})
    run.find("last_loss", run.results["one"]["loss"], "The toy has learned.")


def _go_deaf(run: Any) -> None:
    import signal
    import time

    run.flush()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1)


def expect(run: Any) -> None:
    """The loss falls."""
    losses = [value for _, value in run.metric("train/loss")]
    assert losses[-1] < losses[0]


LAB = SimpleNamespace(Config=Config, PRESETS={"cpu": {}, "gpu": {}}, train=train, expect=expect)
WARM = (sys.executable, "-m", "tests.trainer.toy", "warm")


def main(arguments: list[str]) -> None:
    """Be the warm parent, or one worker."""
    import torch._dynamo  # noqa: F401

    from trainer import warm

    if arguments[0] == "warm":
        warm.serve(find)
    else:
        sys.exit(warm.work(Path(arguments[1]), find, arguments[2]))


def find(lab: str) -> Any:
    """The toy itself, or the toy that forks."""
    from tests.trainer import family

    return family.LAB if lab == "toy_family" else LAB


if __name__ == "__main__":
    main(sys.argv[1:])
