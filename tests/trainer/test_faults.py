"""Real processes are killed in mid-run; the run is shown truthfully and goes on bit-equal."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.trainer.engine import (
    dispatcher,
    ended,
    losses,
    processes,
    running,
    submit,
    wait,
    warm_parent,
)
from tests.trainer.toy import WARM
from trainer.dispatch import client
from trainer.runs import RunStatus

STEPS = 600


@pytest.fixture
def undisturbed(runs: Path) -> list[tuple[int, float]]:
    return losses(ended(submit(runs, steps=STEPS)))


def test_a_killed_worker_is_failed_and_resumes_bit_equal(
    runs: Path, undisturbed: list[tuple[int, float]]
) -> None:
    run = submit(runs, steps=STEPS, slow_s=0.002)
    running(run, 200).send(signal.SIGKILL)
    wait(lambda: run.status is RunStatus.FAILED, "the death is seen")
    ended_line = wait(lambda: run.reason == "killed", "the dispatcher says the last word")
    assert ended_line
    assert "signal 9" in (run.error or "")
    assert run.has_checkpoint
    run.resume()
    assert ended(run).status is RunStatus.FINISHED
    resumed = [event for event in run.events()[0] if event.kind == "resumed"]
    assert resumed[0].values["from_step"] > 0
    assert losses(run) == undisturbed
    assert [step for step, _ in losses(run)] == list(range(1, STEPS + 1))


def test_a_killed_dispatcher_is_replaced_while_the_worker_goes_on(runs: Path) -> None:
    run = submit(runs, steps=5_000, slow_s=0.005)
    worker = running(run)
    old = dispatcher(runs)
    old.send(signal.SIGKILL)
    since, step = time.monotonic(), run.step

    def replaced() -> bool:
        client.ensure(runs, WARM)
        new = client.dispatcher(runs)
        return new is not None and new != old

    wait(replaced, "a new dispatcher lives", 20)
    print(f"replaced after {time.monotonic() - since:.2f} s")
    wait(lambda: run.step > step + 50, "the worker goes on")
    assert run.worker == worker
    assert worker.is_alive
    worker.send(signal.SIGKILL)
    wait(lambda: run.reason == "killed", "the new dispatcher answers for the adopted worker")


def test_a_killed_warm_parent_costs_no_run(runs: Path) -> None:
    first = submit(runs, steps=5_000, slow_s=0.005)
    worker = running(first)
    old = warm_parent(runs)
    old.kill()
    second = submit(runs, steps=20)
    assert ended(second).status is RunStatus.FINISHED
    assert worker.is_alive
    assert first.status is RunStatus.RUNNING
    assert warm_parent(runs).pid != old.pid


def test_of_two_dispatchers_one_wins(alone: Path) -> None:
    command = [sys.executable, "-m", "trainer.dispatch", "serve", str(alone), "--", *WARM]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    wait(lambda: [each for each in both if each.poll() is not None], "one gives way")
    loser, winner = sorted(both, key=lambda each: each.poll() is None)
    assert loser.returncode == 0
    assert "Another dispatcher" in loser.communicate()[1]
    assert dispatcher(alone).pid == winner.pid
    assert ended(submit(alone, steps=5)).status is RunStatus.FINISHED
    client.shutdown(alone)
    winner.communicate()


def test_after_stop_no_process_is_left(runs: Path) -> None:
    run = submit(runs, steps=50_000, slow_s=0.01)
    running(run)
    assert processes(runs)
    assert client.shutdown(runs) == [run.id]
    assert run.status is RunStatus.KILLED
    assert run.has_checkpoint
    wait(lambda: not processes(runs), "all are gone")


def test_a_dispatcher_that_is_just_starting_is_ended_as_well(alone: Path) -> None:
    client.ensure(alone, WARM)
    client.shutdown(alone)
    wait(lambda: not processes(alone), "nobody is left")


def test_a_dispatcher_whose_folder_was_made_anew_leaves_it_to_the_next(alone: Path) -> None:
    client.ensure(alone, WARM)
    old = dispatcher(alone)
    # Moved in one step: taken away file by file, the living dispatcher would write in between.
    alone.rename(alone.with_name("taken-away"))
    alone.mkdir()
    run = submit(alone, steps=5)
    wait(lambda: not old.is_alive, "the old one leaves")
    client.ensure(alone, WARM)  # as the app and the command line do all the time
    assert ended(run).status is RunStatus.FINISHED
    assert dispatcher(alone) != old


def test_a_worker_that_ignores_stop_is_killed_with_its_group(
    alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAGECOACH_GRACE_S", "0.5")
    run = submit(alone, deaf=True)
    worker = running(run)
    run.stop()
    assert ended(run).status is RunStatus.KILLED
    wait(lambda: "did not answer" in run.reason, "the dispatcher says why")
    assert not worker.is_alive


def test_a_burst_of_runs_gives_each_one_worker(runs: Path) -> None:
    burst = [submit(runs, steps=5) for _ in range(12)]
    for run in burst:
        assert ended(run).status is RunStatus.FINISHED
        kinds = [event.kind for event in run.events()[0]]
        assert kinds.count("started") + kinds.count("resumed") == 1
        assert "Another worker" not in run.log_tail


def test_a_second_worker_of_a_run_gives_way(runs: Path) -> None:
    run = submit(runs, steps=5_000, slow_s=0.005)
    worker = running(run)
    second = [*WARM[:-1], "worker", str(run.path), "cpu"]
    assert subprocess.run(second, check=False, timeout=60).returncode == 0
    assert "Another worker has this run already." in run.log_tail
    assert run.worker == worker
    assert worker.is_alive


def test_damaged_and_removed_run_folders_cost_no_other_run(runs: Path) -> None:
    bad = submit(runs, steps=50_000, slow_s=0.01)
    gone = submit(runs, steps=50_000, slow_s=0.01)
    workers = [running(bad), running(gone)]
    pid = dispatcher(runs).pid
    (bad.path / "config.json").write_text("{")
    shutil.rmtree(gone.path)
    assert ended(submit(runs, steps=5)).status is RunStatus.FINISHED
    wait(lambda: not workers[1].is_alive, "the worker without a folder is ended")
    assert dispatcher(runs).pid == pid
    workers[0].send(signal.SIGKILL)
    wait(lambda: bad.reason == "killed", "the dispatcher still answers for the damaged run")


def test_a_half_written_line_of_a_killed_worker_costs_one_line(runs: Path) -> None:
    run = submit(runs, steps=2_000, slow_s=0.005)
    running(run, 50).send(signal.SIGKILL)
    wait(lambda: run.reason == "killed", "the last word")
    with (run.path / "events.jsonl").open("ab") as file:
        file.write(b'{"kind":"metrics","st')
    run.resume()
    wait(lambda: run.status is RunStatus.RUNNING, "it goes on")
    run.stop()
    assert ended(run).status is RunStatus.KILLED


def test_an_unreadable_checkpoint_falls_back_to_the_other(runs: Path) -> None:
    run = submit(runs, steps=STEPS, slow_s=0.002)
    running(run, 250).send(signal.SIGKILL)
    wait(lambda: run.reason == "killed", "the last word")
    # A checkpoint counts once its JSON is there; one killed while being written has none yet.
    *_, old, new = sorted((run.path / "checkpoints").glob("*.json"))
    weights = new.with_suffix(".safetensors")
    weights.write_bytes(weights.read_bytes()[:100])
    run.resume()
    ended(run)
    resumed = next(event for event in run.events()[0] if event.kind == "resumed")
    assert resumed.values["from_step"] == int(old.stem)
    assert [step for step, _ in losses(run)] == list(range(1, STEPS + 1))
