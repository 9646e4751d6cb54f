"""Runs a lab in this process through the real worker code, without a dispatcher."""

import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
import torch

from labs import registry
from tests.labs import apart
from trainer import life
from trainer.run import Run
from trainer.run_config import RunConfig
from trainer.runs import create

RunLab = Callable[..., Run]
# A run of a second; a lab that has none of these settings runs with its defaults.
TINY = {"tickets": 1000, "epochs": 2, "width": 8, "batch_size": 64}
TINY |= {"largest_kib": 16, "rounds": 2, "steps": 20, "seconds": 0.1, "interval": 250}


@pytest.fixture(scope="session")
def lab_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One runs folder for all, so that a data set is made once."""
    return tmp_path_factory.mktemp("labs") / "runs"


@pytest.fixture
def run_lab(lab_runs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunLab]:
    """Gives a function that runs a lab to its end, or until it is asked to stop after a step."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    random_state = torch.get_rng_state()
    lab_runs.mkdir(exist_ok=True)

    def go(
        lab: str,
        settings: dict[str, Any] | None = None,
        *,
        seed: int = 1,
        stop_at: int | None = None,
        again: Run | None = None,
        device: Literal["cpu", "cuda"] = "cpu",
        **stands_on: str,
    ) -> Run:
        asked = RunConfig(lab=lab, settings=settings or {}, seed=seed, device=device)
        config = replace(asked, **stands_on)
        run = again or create(lab_runs, config)
        if registry.find(lab).FORKS:
            apart.start(run, stop_at, device)
            return Run(run.path)
        with monkeypatch.context() as patch:
            patch.setattr(life, "ActiveRun", apart.stopping(stop_at))
            life.live(run, registry.find(lab), device)
        return Run(run.path)

    yield go
    for number, handler in handlers.items():
        signal.signal(number, handler)
    torch.set_rng_state(random_state)


def tiny(lab: str, **settings: Any) -> dict[str, Any]:
    """The settings of a run of a second, with some of them set otherwise."""
    from trainer.setting import describe

    known = {info.name: info for info in describe(registry.find(lab).Config)}
    small: dict[str, Any] = {}
    for name, value in TINY.items():
        if name in known:
            low, high = known[name].low, known[name].high
            assert low is not None
            assert high is not None
            small[name] = min(max(value, int(low)), int(high))
    return small | settings
