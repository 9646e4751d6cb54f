"""What the all-reduce lab says of itself: exact counts, its log, a dead rank in a sentence."""

from pathlib import Path
from typing import Any

import pytest

from labs import all_reduce
from tests.labs import apart
from tests.labs.conftest import RunLab, tiny
from trainer.collectives import ALGORITHMS
from trainer.run_config import RunConfig, RunStatus
from trainer.runs import create


def small(**settings: Any) -> dict[str, Any]:
    return tiny("all_reduce", **settings)


@pytest.mark.parametrize("workers", range(2, 9))
def test_the_counts_are_those_of_the_formula_for_any_number_of_workers(
    workers: int, run_lab: RunLab
) -> None:
    run = run_lab("all_reduce", small(workers=workers))
    assert run.status is RunStatus.FINISHED, run.error
    assert run.finding is not None
    assert run.finding.name == "ring_bytes_per_rank"
    assert run.finding.value == pytest.approx(2 * (workers - 1) / workers, rel=1e-12)
    assert run.metrics["all-to-one/messages"] == workers - 1
    all_reduce.expect(run)


def test_a_ring_of_four_sends_exactly_one_and_a_half_messages(run_lab: RunLab) -> None:
    run = run_lab("all_reduce", small())
    assert {share for _, share in run.metric("ring/messages")} == {1.5}
    assert run.finding is not None
    assert run.finding.value == 1.5


@pytest.mark.parametrize("shown", list(ALGORITHMS))
def test_the_replay_is_the_whole_log_of_the_way_that_is_shown(shown: str, run_lab: RunLab) -> None:
    run = run_lab("all_reduce", small(shown=shown, workers=3))
    logs = run.samples("sends")
    assert len(logs) == 3, "one for each size"
    for log in logs:
        assert log["algorithm"] == shown
        assert sum(send[3] for send in log["sends"]) == 2 * (3 - 1) * log["bytes"]
        assert all(0 <= begun <= ended for *_, begun, ended in log["sends"])


def test_every_measurement_is_a_point_of_the_fit(run_lab: RunLab) -> None:
    run = run_lab("all_reduce", small())
    lines = {line["name"]: line for line in run.record.samples["fit"]["lines"]}
    assert set(lines) == set(ALGORITHMS)
    for name, line in lines.items():
        times = [ms for _, ms in run.metric(f"{name}/latency_ms")]
        assert [ms for _, ms in line["points"]] == pytest.approx(times)
        assert line["error_pct"] >= 0


def test_bus_bandwidth_is_algorithm_bandwidth_times_the_share_of_the_ring(run_lab: RunLab) -> None:
    run = run_lab("all_reduce", small(workers=8))
    for (_, bus), (_, algorithm) in zip(
        run.metric("bus/gb_per_s"), run.metric("algorithm/gb_per_s"), strict=True
    ):
        assert bus == pytest.approx(algorithm * 2 * 7 / 8)


def test_it_works_on_the_cpu_also_where_cuda_was_chosen(run_lab: RunLab) -> None:
    run = run_lab("all_reduce", small(), device="cuda")
    assert run.status is RunStatus.FINISHED, run.error
    [started] = [event for event in run.events()[0] if event.kind == "started"]
    assert started.values["device"] == "cpu"


def test_a_stop_leaves_no_rank_behind(run_lab: RunLab) -> None:
    run = run_lab("all_reduce", small(), stop_at=2)
    assert run.status is RunStatus.KILLED
    assert not apart.left()


def test_a_rank_that_is_killed_fails_the_run_with_a_sentence_and_resume_goes_on(
    run_lab: RunLab, lab_runs: Path
) -> None:
    run = create(lab_runs, RunConfig(lab="all_reduce", settings=small()))
    apart.start(run, None, "cpu", module="tests.labs.dying")
    assert run.status is RunStatus.FAILED
    assert run.error == ("RankLost: Rank 1 was killed by signal 9; the others were ended with it.")
    assert not apart.left()
    assert run.has_checkpoint
    resumed = run_lab("all_reduce", again=run)
    assert resumed.status is RunStatus.FINISHED, resumed.error
    assert [step for step, _ in resumed.metric("ring/error")] == list(range(1, 7))
