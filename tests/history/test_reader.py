"""What pages get to read, whatever state MLflow is in."""

import json
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.history import writer
from tests.history.conftest import ROOT
from tests.history.waiting import until
from trainer import tracking
from trainer.runs import RunStatus
from trainer.tracking import reader
from trainer.tracking.recorder import Recorder

pytestmark = pytest.mark.filterwarnings("ignore:The ``noload``:DeprecationWarning")


@pytest.fixture
def loaded() -> None:
    tracking.warm_up()
    until(tracking.is_loaded, "MLflow is loaded")


@pytest.mark.usefixtures("loaded")
def test_recorded_and_unrecorded_runs_stand_in_one_list_newest_first(runs: Path) -> None:
    old = writer.finished(runs, settings={"dropout": 0.5}, prediction=40)
    Recorder(runs).look()
    new = writer.new(runs)
    found = tracking.history(runs)
    assert found.sentence == ""
    assert [(row.id, row.is_recorded) for row in found.rows] == [(new.id, False), (old.id, True)]
    first, second = found.rows
    assert (first.status, second.status) == (RunStatus.SCHEDULED, RunStatus.FINISHED)
    assert (second.prediction, second.chosen) == (40, {"dropout": "0.5"})


@pytest.mark.usefixtures("loaded")
def test_the_folder_and_mlflow_tell_the_same_of_a_finished_run(runs: Path) -> None:
    run = writer.finished(runs, settings={"dropout": 0.5}, confidence="fairly")
    (from_folder,) = tracking.history(runs).rows
    Recorder(runs).look()
    (from_mlflow,) = tracking.history(runs).rows
    for name in (
        "id",
        "lab",
        "status",
        "learner",
        "started",
        "seconds",
        "params",
        "metrics",
        "samples",
        "plan",
    ):
        assert getattr(from_folder, name) == getattr(from_mlflow, name), name
    assert from_mlflow.finding == run.finding
    assert from_mlflow.samples == {"turn_epoch": 12}
    assert from_mlflow.examples_per_step == 8
    starts = [
        from_mlflow.arm_start(name) for name in ("device.val/loss", "row.val/loss", "val/loss")
    ]
    assert starts == [20, 0, 0]


@pytest.mark.usefixtures("loaded")
def test_a_run_whose_worker_died_is_told_from_its_files(runs: Path) -> None:
    run = writer.new(runs)
    writer.start(run)
    Recorder(runs).look()
    (row,) = tracking.history(runs).rows
    assert row.is_recorded
    assert row.status is RunStatus.FAILED


@pytest.mark.usefixtures("loaded")
def test_a_run_whose_folder_is_gone_still_stands_in_the_history(runs: Path) -> None:
    run = writer.finished(runs)
    Recorder(runs).look()
    for path in sorted(run.path.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    run.path.rmdir()
    assert [row.id for row in tracking.history(runs).rows] == [run.id]
    points = tracking.metric_history(runs, run.id, "train/loss")
    assert [(p.step, p.value) for p in points] == [(s, 1 / s) for s in range(1, 51)]
    assert points[-1].seconds == pytest.approx(4.9)


@pytest.mark.usefixtures("loaded")
def test_without_a_store_the_folders_speak_and_a_sentence_says_so(runs: Path) -> None:
    run = writer.finished(runs)
    found = tracking.history(runs)
    assert [row.id for row in found.rows] == [run.id]
    assert "not there yet" in found.sentence
    assert not (runs / "mlflow.db").exists()


@pytest.mark.usefixtures("loaded")
def test_a_locked_store_holds_no_page_up(runs: Path) -> None:
    run = writer.finished(runs)
    Recorder(runs).look()
    with closing(sqlite3.connect(runs / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        found = tracking.history(runs)
    assert [row.id for row in found.rows] == [run.id]
    assert "Another program holds the MLflow store" in found.sentence


def test_while_mlflow_is_loading_the_folders_speak(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_is_loaded", threading.Event())
    monkeypatch.setattr(reader, "warm_up", lambda: None)
    run = writer.finished(runs)
    found = tracking.history(runs)
    assert found.is_loading
    assert [row.id for row in found.rows] == [run.id]


def test_a_metric_is_read_whole_and_each_step_once(runs: Path) -> None:
    run = writer.new(runs)
    writer.start(run)
    writer.train(run, range(1, 101), every_s=0.001)
    writer.start(run, kind="resumed", t=1.0, from_step=60)
    writer.train(run, range(61, 121), every_s=0.001, t=1.0)
    points = tracking.metric_history(runs, run.id, "train/loss")
    assert [point.step for point in points] == list(range(1, 121))
    assert tracking.metric_history(runs, "../x", "train/loss") == []


def test_one_lab_and_a_limit_narrow_the_list(runs: Path) -> None:
    writer.finished(runs, lab="split_trap")
    kept = [writer.finished(runs).id for _ in range(3)]
    rows = tracking.history(runs, lab="four_brakes", limit=2).rows
    assert [row.id for row in rows] == [kept[2], kept[1]]


SPY = """
import json, sys
from pathlib import Path
seen = []
def listen(event, arguments):
    if event == "socket.connect":
        seen.append(str(arguments[1]))
    elif event == "socket.getaddrinfo":
        seen.append(str(arguments[0]))
sys.addaudithook(listen)
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    probe.connect(("127.0.0.1", 9))
from trainer import tracking
from trainer.tracking.recorder import Recorder
runs = Path(sys.argv[1])
Recorder(runs).look()
tracking.warm_up()
while not tracking.is_loaded():
    pass
rows = tracking.history(runs).rows
from mlflow.telemetry.client import get_telemetry_client
from mlflow.environment_variables import MLFLOW_ALLOW_PICKLE_DESERIALIZATION as pickles
print(json.dumps({
    "seen": seen, "recorded": [row.is_recorded for row in rows], "torch": "torch" in sys.modules,
    "telemetry": get_telemetry_client() is not None, "pickles": pickles.get(),
}))
"""


def test_nothing_leaves_the_machine_and_torch_is_not_loaded(runs: Path) -> None:
    writer.finished(runs)
    told = ("MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK", "CI", "PYTEST_CURRENT_TEST")
    environment = {name: value for name, value in os.environ.items() if name not in told}
    command = [sys.executable, "-c", SPY, str(runs)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    assert json.loads(done.stdout) == {
        "seen": ["('127.0.0.1', 9)"],  # the spy's own, so it does see
        "recorded": [True],
        "torch": False,
        "telemetry": False,
        "pickles": False,
    }
