"""Child runs are killed, stopped, paused and resumed with their parent; nothing is left over."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.trainer.engine import ended, losses, processes, running, submit, wait
from trainer.children import Child
from trainer.errors import BadState
from trainer.process import Identity
from trainer.runs import Run, RunStatus, list_runs
from trainer.tracking import restore, space_used
from trainer.tracking.trash import delete
from trainer.wake import CHILDREN, runs_of

STEPS = 300
Losses = list[tuple[int, float]]


@pytest.fixture(scope="module")
def alone_losses(engine: Path) -> Losses:
    """What a toy learns that is nobody's child."""
    return losses(ended(submit(engine, steps=STEPS)))


def family(runs: Path, slow_s: float = 0.004) -> Run:
    return submit(runs, lab="toy_family", steps=STEPS, slow_s=slow_s)


def child(run: Run, name: str = "one") -> Run:
    return Run(run.path / CHILDREN / name)


def going(run: Run, step: int = 100) -> dict[str, Identity]:
    """The processes of both children, once each has come so far."""
    children = {name: child(run, name) for name in ("one", "two")}
    found = {}
    for name, each in children.items():
        wait(lambda each=each: each.record.step >= step, f"{name} gets to step {step}")
        assert each.worker
        found[name] = each.worker
    return found


def gone(found: dict[str, Identity]) -> Callable[[], bool]:
    return lambda: not any(each.is_alive for each in found.values())


def must_have_learned(run: Run, alone_losses: Losses) -> None:
    assert ended(run).status is RunStatus.FINISHED, run.error
    for name in ("one", "two"):
        assert losses(child(run, name)) == alone_losses
        assert run.metric(f"{name}.train/loss") == alone_losses


def test_a_child_is_a_real_run_that_learns_what_any_run_learns(
    runs: Path, alone_losses: Losses
) -> None:
    run = family(runs)
    found = going(run, 50)
    assert run.worker
    for each in found.values():
        assert psutil.Process(each.pid).ppid() == os.getpgid(each.pid) == run.worker.pid
    must_have_learned(run, alone_losses)
    one = child(run)
    assert one.config.seed == run.config.seed
    assert one.has_checkpoint
    assert (one.path / "worker.log").is_file()
    assert runs_of(one.path) == runs
    assert [each.name for each in sorted((run.path / CHILDREN).iterdir())] == ["one", "two"]
    assert gone(found)()


def test_a_killed_child_is_noticed_and_goes_on_bit_equal(runs: Path, alone_losses: Losses) -> None:
    run = family(runs)
    going(run)["one"].send(signal.SIGKILL)
    must_have_learned(run, alone_losses)
    said = [event.values for event in child(run).events()[0] if event.kind == "ended"]
    assert "signal 9" in said[0]["error"]
    kinds = [event.kind for event in child(run).events()[0]]
    assert kinds.count("resumed") == 1
    assert [event.kind for event in child(run, "two").events()[0]].count("resumed") == 0


def test_a_killed_parent_leaves_no_child_and_resumes_bit_equal(
    runs: Path, alone_losses: Losses
) -> None:
    run = family(runs)
    found = going(run)
    running(run).send(signal.SIGKILL)
    wait(lambda: run.reason == "killed", "the dispatcher says the last word")
    wait(gone(found), "its children are gone with it")
    run.resume()
    must_have_learned(run, alone_losses)


def test_a_stop_is_passed_on_and_a_resume_goes_on_bit_equal(
    runs: Path, alone_losses: Losses
) -> None:
    run = family(runs)
    found = going(run)
    run.stop()
    assert ended(run).status is RunStatus.KILLED
    assert gone(found)()
    for name in ("one", "two"):
        assert child(run, name).status is RunStatus.KILLED
        assert child(run, name).reason == run.reason == "stopped by the learner"
        saved = Child(child(run, name)).checkpoints()
        assert saved[-1] == child(run, name).step < STEPS, "nothing that was done is lost"
    run.resume()
    must_have_learned(run, alone_losses)
    resumed = [event for event in child(run).events()[0] if event.kind == "resumed"]
    assert len(resumed) == 1


def test_pause_step_and_resume_reach_every_child(runs: Path, alone_losses: Losses) -> None:
    run = family(runs)
    going(run)
    run.pause()
    children = [child(run, name) for name in ("one", "two")]
    wait(lambda: all(each.is_paused for each in children), "both wait")
    before = [each.step for each in children]
    run.step_once()
    wait(lambda: [each.step for each in children] == [step + 1 for step in before], "one step each")
    assert all(each.is_paused for each in children)
    run.resume()
    must_have_learned(run, alone_losses)


def test_a_child_that_stands_still_does_not_keep_its_parent_from_stopping(
    runs: Path, alone_losses: Losses
) -> None:
    run = family(runs)
    found = going(run)
    found["one"].send(signal.SIGSTOP)
    wait(lambda: found["one"].is_held, "it stands still")
    run.stop()
    assert ended(run).status is RunStatus.KILLED
    assert gone(found)()
    run.resume()
    must_have_learned(run, alone_losses)


def test_a_child_that_fails_again_and_again_fails_its_parent_with_its_sentence(runs: Path) -> None:
    run = ended(submit(runs, lab="toy_family", steps=50, fail_at=20))
    assert run.status is RunStatus.FAILED
    assert run.error == "ChildLost: RuntimeError: the toy was told to fail"
    assert not [line for line in processes(runs) if run.id in line]


def test_lists_room_and_trash_take_a_run_with_its_children_as_one(runs: Path) -> None:
    run = ended(submit(runs, lab="toy_family", steps=20))
    assert run.id in [each.id for each in list_runs(runs)]
    assert not {"one", "two"} & {each.id for each in list_runs(runs)}
    inside = sum(file.stat().st_size for file in run.path.rglob("*") if file.is_file())
    before = space_used(runs)
    delete(runs, run.id)
    after = space_used(runs)
    assert before.runs - after.runs == after.trash - before.trash == inside
    restore(runs, run.id)
    assert child(run).status is RunStatus.FINISHED


def test_a_child_is_resumed_by_its_parent_alone(runs: Path) -> None:
    run = family(runs)
    going(run)
    run.stop()
    ended(run)
    with pytest.raises(BadState, match="goes on with its parent"):
        child(run).resume()


def test_rolling_back_gives_up_later_checkpoints(runs: Path) -> None:
    run = ended(submit(runs, lab="toy_family", steps=100))
    one = Child(child(run))
    first, last = one.checkpoints()
    one.roll_back(last - 1)
    assert one.checkpoints() == [first]
    one.roll_back(0)
    assert one.checkpoints() == []
    assert not list((one.run.path / "checkpoints").iterdir())


def test_a_child_that_dies_while_it_is_asked_to_stop_has_failed(runs: Path) -> None:
    run = family(runs)
    found = going(run)
    found["one"].send(signal.SIGSTOP)  # it can no longer hear the stop
    wait(lambda: found["one"].is_held, "it stands still")
    (child(run).path / "commands" / "stop").write_text("stopped by the test")
    found["one"].send(signal.SIGKILL)
    wait(lambda: any(event.kind == "ended" for event in child(run).events()[0]), "its last word")
    [said] = [event.values for event in child(run).events()[0] if event.kind == "ended"]
    assert said["status"] == "FAILED"
    assert "signal 9" in said["error"]
    run.stop()
    ended(run)
