"""What a lab may call: logging, commands, parking; in this process, without a dispatcher."""

import math
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from tests.trainer.toy import LAB
from trainer import exit_codes, life, worker
from trainer.runs import Run, RunConfig, create
from trainer.worker import ActiveRun


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """A worker ignores Ctrl-C, and processes started later would inherit that."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return create(tmp_path, RunConfig(lab="toy"))


@pytest.fixture
def active(run: Run) -> ActiveRun:
    active = ActiveRun(run, torch.device("cpu"))
    active.begin({"device": "cpu"})
    return active


def test_tensors_and_numbers_are_logged_alike_and_only_as_measured(
    run: Run, active: ActiveRun
) -> None:
    active.log(1, **{"train/loss": torch.tensor(0.5), "val/loss": 0.25})
    active.log(2, **{"train/loss": torch.tensor(math.nan)})
    active.flush()
    metrics = [event for event in run.events()[0] if event.kind == "metrics"]
    assert metrics[0].values == {"train/loss": 0.5, "val/loss": 0.25}
    assert math.isnan(metrics[1].values["train/loss"])
    assert {event.origin for event in metrics} == {"M"}


def test_the_first_point_is_written_at_once(run: Run, active: ActiveRun) -> None:
    active.log(1, **{"train/loss": 1.0})
    assert run.metrics == {"train/loss": 1.0}


def test_checkpoints_come_within_the_first_tenth_and_at_least_ten_times(active: ActiveRun) -> None:
    active.plan(steps=1_000, steps_per_epoch=10, examples_per_step=8)
    saved = []
    for step in range(1, 1_001):
        active.log(step, **{"train/loss": 1.0})
        if active.should_save(step):
            active.checkpoint({"x": torch.tensor(1.0)})
            saved.append(step)
    assert saved[0] <= 100
    assert len(saved) >= 10


def test_a_run_paused_for_long_is_parked(
    run: Run, active: ActiveRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PARKED_AFTER_S", 0.05)
    (run.path / "commands" / "pause").touch()
    assert active.should_save(1)
    assert active.should_stop
    assert active.reason == "parked"


def test_cuda_where_there_is_none_is_bad_input_with_the_reason(run: Run) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    assert life.live(run, LAB, "cuda") == exit_codes.BAD_INPUT
    assert "CUDA was asked for." in (run.error or "")


def test_a_surprise_is_reported_only_for_default_settings(run: Run, tmp_path: Path) -> None:
    assert life.live(run, LAB, "cpu") == exit_codes.FINISHED
    assert run.surprise is True
    other = create(tmp_path, RunConfig(lab="toy", settings={"steps": 30}))
    assert life.live(other, LAB, "cpu") == exit_codes.FINISHED
    assert other.surprise is None


def test_a_run_resumed_in_the_moment_of_a_step_is_paused_no_more(
    run: Run, active: ActiveRun
) -> None:
    heard: list[str] = []
    active.followers.append(heard.append)
    pause, step = (run.path / "commands" / name for name in ("pause", "step"))
    pause.touch()
    step.touch()
    active.should_save(1)
    assert run.record.samples["paused"] is True
    pause.unlink()
    active.should_save(2)
    assert run.record.samples["paused"] is False
    assert heard == ["pause", "step", "resume"]
