"""The runs folder: what is a run, what is not, and what the files say about one."""

import json
import time
from pathlib import Path

import pytest

from trainer import events, runs
from trainer.errors import UnknownRun
from trainer.events import Event
from trainer.process import identity
from trainer.runs import Run, RunConfig, RunStatus


def say(run: Run, kind: str, step: int = 0, **values: object) -> None:
    event = Event(kind=kind, t=time.time(), step=step, values=values)  # type: ignore[arg-type]
    events.append(run.path / events.FILE, event.line())


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return runs.create(tmp_path, RunConfig(lab="toy", prediction=0.5, confidence="fairly"))


def test_a_new_run_is_scheduled_and_can_be_found(run: Run) -> None:
    assert run.status is RunStatus.SCHEDULED
    assert runs.find(run.path.parent, run.id) == run
    assert run.config.prediction == 0.5


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "\0", "20261130-101512-toy-3f2", "x" * 500]
)
def test_a_name_that_is_no_run_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownRun, match=r"There is no run .* here\."):
        runs.find(tmp_path, name)


def test_foreign_files_are_left_alone(run: Run) -> None:
    folder = run.path.parent
    (folder / "20261130-101512-toy-3f2a").write_text("a file with a run's name")
    (folder / "20261130-101512-toy-3f2b").mkdir()
    (folder / "20261130-101512-toy-3f2c").mkdir()
    (folder / "20261130-101512-toy-3f2c" / "config.json").write_text("[1, 2")
    (folder / "notes.txt").write_text("mine")
    assert runs.list_runs(folder) == [run]


@pytest.mark.parametrize(
    "damage",
    [
        {"threads": None},
        {"learner": ["a"]},
        {"lab": "../x"},
        {"time_limit_s": "abc"},
        {"seed": -1},
        {"settings": []},
        {"device": "tpu"},
    ],
)
def test_a_config_that_no_worker_could_use_is_no_run(run: Run, damage: dict[str, object]) -> None:
    config = json.loads((run.path / "config.json").read_bytes())
    (run.path / "config.json").write_text(json.dumps(config | damage))
    assert runs.list_runs(run.path.parent) == []


def test_an_end_without_a_status_is_not_believed(run: Run) -> None:
    say(run, "started", device="cpu")
    say(run, "ended")
    say(run, "finding", name="gap")
    assert run.status is RunStatus.FAILED
    assert run.finding is None
    say(run, "ended", status="GREAT", reason="")
    assert run.status is RunStatus.FAILED


def test_status_follows_the_last_word_and_the_process(run: Run) -> None:
    say(run, "started", device="cpu")
    assert run.status is RunStatus.FAILED
    assert run.error == "The worker was killed at step 0."
    (run.path / "worker.json").write_text(json.dumps(identity().as_dict()))
    assert run.status is RunStatus.RUNNING
    say(run, "ended", status="KILLED", reason="parked")
    assert run.status is RunStatus.KILLED
    assert run.reason == "parked"
    run.resume()
    assert run.status is RunStatus.SCHEDULED
    assert run.reason == "resumed"


def test_a_reused_pid_is_not_mistaken_for_the_worker(run: Run) -> None:
    say(run, "started", device="cpu")
    other = identity().as_dict() | {"started": identity().started - 1}
    (run.path / "worker.json").write_text(json.dumps(other))
    assert run.status is RunStatus.FAILED


def test_a_worker_on_another_host_is_not_judged_by_pid(run: Run) -> None:
    say(run, "started", device="cpu")
    elsewhere = identity().as_dict() | {"host": "another", "pid": 1}
    (run.path / "worker.json").write_text(json.dumps(elsewhere))
    assert run.status is RunStatus.RUNNING


def test_notes_stay_with_the_run(run: Run) -> None:
    run.note(explain="memory")
    run.note(finding="It turned early.")
    assert run.notes == {"explain": "memory", "finding": "It turned early."}
