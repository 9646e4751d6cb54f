"""Every fault of the night shift is real, is noticed by what it shows, and costs what it must."""

import os
import signal
import time
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import psutil
import pytest

from labs import xid_night_shift as lab
from tests.labs import apart
from tests.labs.conftest import RunLab, tiny
from trainer import faults, kept
from trainer.children import Child
from trainer.process import Identity
from trainer.run import Run
from trainer.run_config import RunConfig, RunStatus
from trainer.runs import create
from trainer.wake import CHILDREN

LAB, AT, EVERY = "xid_night_shift", 575, 250
_shared: list[Run] = []
# Where it is hurt, from which checkpoint it goes on, and what the night shift sees.
SEEN = {
    "kill": (AT, 500, "killed by signal 9"),
    "hang": (AT, 500, "No event came for 0.5 s, and the process stood still."),
    "nan": (AT, 500, "The loss was not a number."),
    "memory": (AT, 500, "Out of memory."),
    "disk": (750, 500, "The disk is full."),
}


def small(**settings: Any) -> dict[str, Any]:
    return tiny(LAB, patience_s=0.5, fault_step=AT) | settings


@pytest.fixture
def killed(run_lab: RunLab) -> Run:
    """The usual tiny run, made once: its child was killed in step 575."""
    if not _shared:
        _shared.append(run_lab(LAB, small()))
    return _shared[0]


def losses(run: Run, series: str) -> dict[int, float]:
    return dict(run.metric(f"{series}.train/loss"))


def child(run: Run, name: str = "hurt") -> Run:
    return Run(run.path / CHILDREN / name)


@pytest.mark.parametrize("fault", list(SEEN))
def test_a_fault_costs_the_steps_since_the_checkpoint_and_not_one_bit(
    fault: str, run_lab: RunLab, killed: Run
) -> None:
    run = killed if fault == "kill" else run_lab(LAB, small(fault=fault))
    assert run.status is RunStatus.FINISHED, run.error
    wound, checkpoint, symptom = SEEN[fault]
    whole, before, after = (losses(run, name) for name in ("undisturbed", "hurt", "resumed"))
    assert list(whole) == list(range(1, lab.STEPS + 1))
    assert list(before) == list(range(1, wound + 1))
    assert list(after) == list(range(checkpoint + 1, lab.STEPS + 1))
    assert before | after == whole
    again = {step: before[step] for step in before.keys() & after.keys() if isfinite(before[step])}
    assert again == {step: after[step] for step in again}
    assert isnan(before[wound]) == (fault == "nan")
    assert run.finding is not None
    assert run.finding.name == "steps_again"
    assert run.finding.value == wound - checkpoint
    assert symptom in run.finding.text
    assert f"{wound - checkpoint} steps were lost" in run.finding.text
    assert run.record.samples["equal_losses"] == lab.STEPS
    lanes = dict(run.record.samples["night"]["lanes"])
    assert [kind for kind, _, _ in lanes["undisturbed"]] == ["trains"]
    assert [kind for kind, _, _ in lanes["hurt"]] == ["trains", "lost", "down", "again", "trains"]
    ends = [end for _, _, end in lanes["hurt"]]
    assert [begin for _, begin, _ in lanes["hurt"][1:]] == ends[:-1], "no gap and no overlap"
    assert child(run, "undisturbed").status is child(run).status is RunStatus.FINISHED


def test_a_slow_disk_loses_nothing(run_lab: RunLab) -> None:
    run = run_lab(LAB, small(fault="slow"))
    assert run.status is RunStatus.FINISHED, run.error
    assert losses(run, "hurt") | losses(run, "resumed") == losses(run, "undisturbed")
    assert run.finding is not None
    assert run.finding.value == 0


@pytest.mark.parametrize(("at", "checkpoint"), [(1, 0), (250, 0), (251, 250)])
def test_what_is_lost_follows_from_step_and_interval(
    at: int, checkpoint: int, run_lab: RunLab
) -> None:
    run = run_lab(LAB, small(fault_step=at))
    assert run.finding is not None
    assert run.finding.value == at - checkpoint
    assert min(losses(run, "resumed")) == checkpoint + 1


def test_the_mended_model_is_kept_for_later_stages(
    run_lab: RunLab, lab_runs: Path, killed: Run
) -> None:
    run = killed
    _, found = kept.of_run(lab_runs, run.id)
    assert found.data == run.record.samples["data"]
    ours, whole = (
        (each.path / "artifacts" / kept.MODEL).read_bytes()
        for each in (run, child(run, "undisturbed"))
    )
    assert ours == whole
    later = run_lab(LAB, small(begin="trained"), parent=run.id)
    assert later.status is RunStatus.FINISHED, later.error
    assert losses(later, "undisturbed")[1] < losses(run, "undisturbed")[1]


def test_goodput_shows_both_prices_and_both_optima(killed: Run) -> None:
    run = killed
    found = run.record.samples["goodput"]
    assert run.record.origins["goodput"] == "S"
    assert found["step_s"] > 0
    assert found["save_s"] > 0
    assert found["restart_s"] > 0
    assert run.record.samples["best_interval"] in lab.ABOUT
    lab.expect(run)


def test_a_learners_stop_between_checkpoint_and_fault_changes_no_figure(
    run_lab: RunLab, killed: Run
) -> None:
    stopped = run_lab(LAB, small(), stop_at=AT - 30)
    assert stopped.status is RunStatus.KILLED
    resumed = run_lab(LAB, again=stopped)
    assert resumed.finding == killed.finding
    for name in ("undisturbed", "hurt", "resumed"):
        assert losses(resumed, name) == losses(killed, name)


def test_a_run_that_it_stands_on_and_that_is_gone_is_said_in_one_sentence(
    run_lab: RunLab,
) -> None:
    run = run_lab(LAB, small(), parent="20260101-000000-four_brakes-0000")
    assert run.status is RunStatus.FAILED
    assert run.error is not None
    assert run.error.startswith("The run 20260101-000000-four_brakes-0000")
    assert run.reason == "bad input"


def test_a_killed_night_shift_goes_on_with_both_children(
    lab_runs: Path, run_lab: RunLab, killed: Run
) -> None:
    run = create(lab_runs, RunConfig(lab=LAB, settings=small(), seed=1))
    worker = apart.start(run, None, "cpu", waits=False)
    deadline = time.monotonic() + 100
    while child(run).record.step < 300 and time.monotonic() < deadline:
        time.sleep(0.005)
    processes = [
        Identity.read(child(run, name).path / "worker.json") for name in ("hurt", "undisturbed")
    ]
    os.killpg(worker, signal.SIGKILL)  # as the dispatcher ends what a dead worker left
    while any(each and each.is_alive for each in processes) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert not any(each and each.is_alive for each in processes)
    assert Child(child(run)).checkpoints()
    resumed = run_lab(LAB, again=run)
    assert resumed.status is RunStatus.FINISHED, resumed.error
    assert resumed.finding == killed.finding
    assert losses(resumed, "hurt") | losses(resumed, "resumed") == losses(killed, "undisturbed")


def test_nothing_is_left_running(run_lab: RunLab) -> None:
    run_lab(LAB, small(fault="hang"), stop_at=10)
    assert not [each for each in apart.left() if each.status() != psutil.STATUS_ZOMBIE]


def test_every_fault_has_a_name_and_a_way() -> None:
    assert set(SEEN) | {"slow"} == set(faults.FAULTS)
