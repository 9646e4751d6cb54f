"""What the lab about DDP says of itself: equal losses, alike ranks, the fault, deaths, times."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from labs import same_maths
from tests.labs import apart
from tests.labs.conftest import RunLab, tiny
from tests.labs.dying_replica import DIES_AT
from trainer.run import Run
from trainer.run_config import RunConfig, RunStatus
from trainer.runs import create

DEADLINE_S = 60.0
SMALL = {"width": 16, "tickets": 300, "batch_size": 96}


def small(**settings: Any) -> dict[str, Any]:
    return tiny("same_maths", **SMALL | settings)


def wait_for(is_true: Callable[[], object]) -> None:
    due = time.monotonic() + DEADLINE_S
    while not is_true():
        assert time.monotonic() < due, "waited in vain"
        time.sleep(0.01)


def losses(run: Run) -> list[tuple[int, float]]:
    return [point for side in ("one", "ddp") for point in run.metric(f"{side}.train/loss")]


def kept(run: Run) -> bytes:
    return (run.path / "artifacts" / "model.safetensors").read_bytes()


def distances(run: Run) -> list[float]:
    return [far for _, far in run.metric("ranks/distance")]


@pytest.mark.parametrize("workers", [2, 3, 4])
def test_a_hundred_steps_of_any_number_of_workers_have_the_losses_of_one(
    workers: int, run_lab: RunLab
) -> None:
    run = run_lab("same_maths", small(workers=workers, steps=100))
    assert run.status is RunStatus.FINISHED, run.error
    gaps = run.metric("ddp/loss_difference")
    assert len(gaps) == 100
    one, ddp = (dict(run.metric(f"{side}.train/loss")) for side in ("one", "ddp"))
    assert one[100] < one[1]
    assert all(abs(one[step] - ddp[step]) == gap <= 1e-5 for step, gap in gaps)
    assert run.finding is not None
    assert run.finding.value == max(gap for _, gap in gaps)
    same_maths.expect(run)


def test_ranks_that_forget_to_average_drift_apart(run_lab: RunLab) -> None:
    run = run_lab("same_maths", small(forget=True, workers=2))
    assert distances(run)[-1] > 2 * distances(run)[0] > 0
    [one, two] = run.record.samples["sums"]["rows"]
    assert one[1] != two[1]
    assert one[2] != two[2]
    assert run.metrics["ddp/loss_difference"] > same_maths.ROUNDING
    assert run.record.samples["overlap"]["hidden_share"] is None, "nothing was sent"
    with pytest.raises(AssertionError):
        same_maths.expect(run)


def test_a_batch_for_each_worker_is_another_training_with_alike_ranks(run_lab: RunLab) -> None:
    run = run_lab("same_maths", small(batch="each", workers=2))
    assert run.plan["examples_per_step"] == 2 * 96
    assert run.metrics["ddp/loss_difference"] > same_maths.ROUNDING
    assert set(distances(run)) == {0.0}


def test_buckets_travel_while_backward_runs_and_every_bar_lies_in_its_step(
    run_lab: RunLab,
) -> None:
    run = run_lab("same_maths", small(width=64, workers=2, bucket_kib=8))
    steps = run.samples("overlap")
    assert [step["step"] for step in steps] == [1, 5, 10, 15, 20]
    took = dict(run.metric("ddp/step_ms"))
    for step in steps:
        assert len(step["bucket_bytes"]) >= 2
        assert 0 <= step["hidden_share"] <= 1
        for computing, sending in zip(step["lanes"][::2], step["lanes"][1::2], strict=True):
            parts = {kind: (begun, ended) for kind, begun, ended in computing["bars"]}
            assert list(parts) == ["forward", "backward", "wait", "update"]
            edges = [edge for part in parts.values() for edge in part]
            assert edges[0] >= 0
            assert edges == sorted(edges)
            assert edges[-1] <= took[step["step"]] + 1e-3
            for _, begun, ended in sending["bars"]:
                assert parts["backward"][0] <= begun <= ended <= parts["wait"][1]
    hidden = dict(run.metric("ddp/hidden_ms"))
    assert all(hidden[step] <= way for step, way in run.metric("ddp/allreduce_ms"))


@pytest.mark.parametrize("forget", [False, True])
def test_a_rank_killed_in_a_step_fails_the_run_in_a_sentence_and_resume_is_bit_equal(
    forget: bool, run_lab: RunLab, lab_runs: Path
) -> None:
    undisturbed = run_lab("same_maths", small(workers=3, forget=forget))
    settings = undisturbed.config.settings
    run = create(lab_runs, RunConfig(lab="same_maths", settings=settings, seed=1))
    apart.start(run, None, "cpu", module="tests.labs.dying_replica")
    assert run.status is RunStatus.FAILED
    assert run.error == ("RankLost: Rank 1 was killed by signal 9; the others were ended with it.")
    assert run.step == DIES_AT - 1
    assert not apart.left()
    resumed = run_lab("same_maths", again=run)
    assert resumed.status is RunStatus.FINISHED, resumed.error
    assert losses(resumed) == losses(undisturbed)
    assert distances(resumed) == distances(undisturbed)
    assert kept(resumed) == kept(undisturbed)
    assert resumed.finding == undisturbed.finding


def test_a_killed_worker_leaves_no_rank_and_its_ranks_spoke_on_loopback_only(
    run_lab: RunLab, lab_runs: Path
) -> None:
    run = create(lab_runs, RunConfig(lab="same_maths", settings=small(steps=1000), seed=1))
    worker = psutil.Process(apart.start(run, None, "cpu", waits=False))
    wait_for(lambda: run.step >= 3 and run.has_checkpoint)
    ranks = worker.children()
    assert len(ranks) == 1 + 4
    places = {end.laddr.ip for rank in ranks for end in rank.net_connections("inet")}
    assert places == {"127.0.0.1"}
    os.kill(worker.pid, signal.SIGKILL)
    wait_for(lambda: not any(rank.is_running() for rank in ranks))
    assert run_lab("same_maths", again=run, stop_at=run.step + 1).status is RunStatus.KILLED


def test_a_model_goes_on_from_its_parent_and_is_kept_for_the_next(run_lab: RunLab) -> None:
    before = run_lab("same_maths", small(workers=2))
    after = run_lab("same_maths", small(workers=2, begin="trained"), parent=before.id)
    assert after.status is RunStatus.FINISHED, after.error
    assert after.metric("one.val/loss")[0][1] < before.metric("one.val/loss")[0][1]
    config = json.loads((after.path / "artifacts" / "config.json").read_bytes())
    assert config["parent"] == before.id
    assert config["workers"] == 2
    assert 0 < after.metrics["test/accuracy"] <= 1


def test_a_parent_that_is_gone_is_bad_input(run_lab: RunLab) -> None:
    run = run_lab("same_maths", small(), parent="20261130-101512-same_maths-3f2a")
    assert (run.status, run.reason) == (RunStatus.FAILED, "bad input")
    assert not apart.left()
