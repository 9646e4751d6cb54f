"""The command line as scripts use it: real processes, exit codes, one strict JSON line."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.trainer.engine import running, wait
from trainer.dispatch import client
from trainer.runs import Run, RunStatus, list_runs

QUICK = ("--set", "tickets=1000", "--set", "epochs=2")
LONG = ("--set", "epochs=100", "--set", "width=256")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One runs folder, with a space and a letter beyond ASCII in its name."""
    folder = tmp_path_factory.mktemp("runs of Zoë")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAGECOACH_RUNS", str(folder))
        patch.setenv("STAGECOACH_HISTORY", "off")
        yield folder
        client.shutdown(folder)


def start(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "labs", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=os.environ)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, errors = process.communicate(timeout=120)
    return process.returncode, out, errors


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not strict JSON")

    return json.loads(text, parse_constant=refuse)


def begun(folder: Path, before: list[Run]) -> Run:
    """The run that was not there before, once it trains."""
    new = wait(lambda: [run for run in list_runs(folder) if run not in before], "a new run")
    running(new[0], 20)
    found: Run = new[0]
    return found


def test_the_list_is_one_array_of_labs(folder: Path) -> None:
    code, out, _ = finish(start("list", "--json"))
    assert code == 0
    labs = strict(out)
    assert {lab["id"] for lab in labs} >= {"split_trap", "four_brakes"}
    for lab in labs:
        assert list(lab) == ["id", "stage", "number", "title", "minutes"]
        assert isinstance(lab["number"], str)


def test_a_run_ends_with_one_strict_line_and_a_bar_on_stderr(folder: Path) -> None:
    code, out, errors = finish(start("run", "split_trap", *QUICK, "--seed", "7", "--json"))
    assert code == 0, errors
    found = strict(out)
    names = "id lab status seed device metrics finding surprise seconds path"
    assert list(found) == names.split()
    assert (found["lab"], found["status"], found["seed"]) == ("split_trap", "FINISHED", 7)
    assert found["finding"]["name"] == "row_split_gap"
    assert found["surprise"] is None
    assert Path(found["path"]).is_dir()
    assert "step" in errors
    code, out, _ = finish(start("show", found["id"], "--json"))
    assert (code, strict(out)) == (0, found)
    assert finish(start("resume", found["id"]))[0] == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "no_lab"), "There is no lab 'no_lab'"),
        (("run", "split_trap", "--set", "epochs=0"), "epochs must be a whole number from 1"),
        (("run", "split_trap", "--set", "speed=1"), "--set takes NAME=VALUE"),
        (("run", "split_trap", "--preset", "huge"), "preset must be one of cpu, gpu"),
        (("show", "../etc"), "There is no run '../etc' here."),
        (("stop", "20261130-101512-toy-3f2a"), "There is no run"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    folder: Path, words: tuple[str, ...], sentence: str
) -> None:
    before = len(list_runs(folder))
    code, out, errors = finish(start(*words))
    assert code == 2
    assert out == ""
    assert sentence in errors
    assert len(errors.strip().splitlines()) == 1
    assert len(list_runs(folder)) == before


def test_a_killed_worker_is_exit_1_and_resume_finishes_in_the_same_folder(folder: Path) -> None:
    before = list_runs(folder)
    process = start("run", "split_trap", "--set", "epochs=30", "--json")
    run = begun(folder, before)
    wait(lambda: run.has_checkpoint, "a checkpoint")
    assert run.worker
    run.worker.send(signal.SIGKILL)
    code, out, _ = finish(process)
    assert (code, strict(out)["status"]) == (1, "FAILED")
    wait(lambda: run.reason == "killed", "the dispatcher has written it down")
    code, out, errors = finish(start("resume", run.id, "--json"))
    assert code == 0, errors
    assert (strict(out)["id"], strict(out)["status"]) == (run.id, "FINISHED")
    steps = [step for step, _ in run.metric("row.train/loss")]
    assert steps == list(range(1, len(steps) + 1))


def test_ctrl_c_stops_the_run_and_a_second_one_leaves_it(folder: Path) -> None:
    before = list_runs(folder)
    process = start("run", "split_trap", *LONG)
    run = begun(folder, before)
    process.send_signal(signal.SIGINT)
    code, out, _ = finish(process)
    assert (code, strict(out.splitlines()[-1])["status"]) == (75, "KILLED")
    assert run.has_checkpoint


def test_pause_step_resume_and_stop_work_from_another_terminal(folder: Path) -> None:
    before = list_runs(folder)
    process = start("run", "split_trap", *LONG)
    run = begun(folder, before)
    assert finish(start("pause", run.id))[0] == 0
    assert run.is_paused
    step = run.step
    assert finish(start("step", run.id))[0] == 0
    assert run.step == step + 1
    assert finish(start("stop", run.id))[0] == 0
    assert finish(process)[0] == 75
    assert run.status is RunStatus.KILLED


def test_a_second_ctrl_c_leaves_the_run_running(folder: Path) -> None:
    before = list_runs(folder)
    process = start("run", "split_trap", *LONG)
    run = begun(folder, before)
    process.send_signal(signal.SIGINT)
    wait(lambda: "again" in errors_so_far(process), "it says what a second press would do")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert strict(out.splitlines()[-1])["status"] == "RUNNING"
    step = run.step
    wait(lambda: run.step > step, "it goes on")
    assert run.status is RunStatus.RUNNING
    run.stop()


def errors_so_far(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--seed", "-1"), "seed must be a whole number from 0"),
        (("--seed", "99999999999999999999999"), "seed must be a whole number from 0"),
        (("--learner", ""), "learner must be 1 to 40 of the characters a to z, 0 to 9"),
        (("--learner", "Ada L."), "'ada-l' would do"),
        (("--learner", "x" * 41), "learner must be 1 to 40 of the characters a to z, 0 to 9"),
    ],
)
def test_a_seed_or_name_that_no_worker_could_use_is_refused(
    folder: Path, words: tuple[str, str], sentence: str
) -> None:
    before = len(list_runs(folder))
    code, _, errors = finish(start("run", "split_trap", *words))
    assert (code, len(list_runs(folder))) == (2, before)
    assert sentence in errors


def test_a_runs_folder_that_is_a_file_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("STAGECOACH_RUNS", str(tmp_path / "file"))
    for words in (("list",), ("runs",), ("run", "split_trap")):
        code, _, errors = finish(start(*words))
        assert code == 2
        assert "cannot be made: File exists." in errors
        assert "Traceback" not in errors
