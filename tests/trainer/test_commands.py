"""Pause, step, resume, stop, limits and the line, on real processes."""

from pathlib import Path

import pytest

from tests.trainer.engine import ended, losses, running, submit, wait
from trainer.dispatch import client
from trainer.errors import BadState
from trainer.runs import RunConfig, RunStatus


def test_a_paused_run_stands_still_steps_once_and_goes_on(runs: Path) -> None:
    run = submit(runs, steps=2_000, slow_s=0.002)
    running(run, 10)
    run.pause()
    wait(lambda: run.is_paused, "it pauses")
    assert run.status is RunStatus.RUNNING
    step = run.step
    run.step_once()
    wait(lambda: run.step == step + 1, "it steps once")
    wait(lambda: not (run.path / "commands" / "step").exists(), "the command is used up")
    assert run.step == step + 1
    run.resume()
    assert ended(run).status is RunStatus.FINISHED
    assert [at for at, _ in losses(run)] == list(range(1, 2_001))


def test_a_stopped_run_keeps_a_checkpoint_and_resumes_bit_equal(runs: Path) -> None:
    undisturbed = losses(ended(submit(runs, steps=300)))
    run = submit(runs, steps=300, slow_s=0.005)
    running(run, 100)
    run.stop()
    assert ended(run).status is RunStatus.KILLED
    assert run.reason == "stopped by the learner"
    stopped_at = run.step
    run.resume()
    assert ended(run).status is RunStatus.FINISHED
    resumed = next(event for event in run.events()[0] if event.kind == "resumed")
    assert resumed.values["from_step"] == stopped_at
    assert losses(run) == undisturbed


def test_a_paused_run_can_be_stopped(runs: Path) -> None:
    run = submit(runs, steps=2_000, slow_s=0.005)
    running(run)
    run.pause()
    wait(lambda: run.is_paused, "it pauses")
    run.stop()
    assert ended(run).status is RunStatus.KILLED


def test_a_run_ends_at_its_time_limit(runs: Path) -> None:
    from tests.trainer.toy import WARM

    settings = {"steps": 100_000, "slow_s": 0.01}
    config = RunConfig(lab="toy", settings=settings, time_limit_s=1.0)
    run = ended(client.submit(runs, config, WARM))
    assert run.status is RunStatus.KILLED
    assert "time limit" in run.reason
    assert run.has_checkpoint


def test_bad_settings_fail_with_a_sentence_and_exit_code_2(runs: Path) -> None:
    run = ended(submit(runs, steps=-3))
    assert run.status is RunStatus.FAILED
    assert run.reason == "bad input"
    assert run.error == "steps must be a whole number from 1 to 100000, not -3."


def test_a_crash_keeps_its_sentence_and_its_log(runs: Path) -> None:
    run = ended(submit(runs, fail_at=20))
    assert run.status is RunStatus.FAILED
    assert run.error == "RuntimeError: the toy was told to fail"
    assert "Traceback" in run.log_tail
    assert [at for at, _ in losses(run)] == list(range(1, 21))


def test_the_line_has_places_and_shares_fairly(
    alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAGECOACH_SLOTS", "1")
    first = submit(alone, "ada", steps=100_000, slow_s=0.01)
    running(first)
    greedy = [submit(alone, "ada", steps=5) for _ in range(2)]
    other = submit(alone, "ben", steps=5)
    expected = [other.id, greedy[0].id, greedy[1].id]
    wait(lambda: [entry.id for entry in client.queue(alone)] == expected, "the line is told")
    assert [entry.place for entry in client.queue(alone)] == [1, 2, 3]
    greedy[1].stop()
    assert ended(greedy[1]).status is RunStatus.KILLED
    assert "while it waited" in greedy[1].reason
    first.stop()
    assert ended(other).status is RunStatus.FINISHED
    assert ended(greedy[0]).started_at >= other.started_at  # type: ignore[operator]


def test_what_cannot_be_done_is_refused_in_a_sentence(runs: Path) -> None:
    run = ended(submit(runs, steps=5))
    for act in (run.pause, run.stop, run.resume, run.step_once):
        with pytest.raises(BadState, match=r"\w+ \w+.*\."):
            act()
    assert run.status is RunStatus.FINISHED
