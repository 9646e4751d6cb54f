"""The recorder against real run folders and a real MLflow store."""

import math
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.history import writer
from tests.history.conftest import Ask
from tests.history.waiting import until
from trainer import events
from trainer.errors import BadState
from trainer.events import Event
from trainer.tracking import health, recorder
from trainer.tracking.digest import Progress
from trainer.tracking.recorder import Recorder
from trainer.tracking.store import Store

# MLflow reaches for names that SQLAlchemy is about to drop.
pytestmark = pytest.mark.filterwarnings("ignore:The ``noload``:DeprecationWarning")

METRICS = "SELECT key, step, value, is_nan, timestamp FROM metrics ORDER BY key, step, timestamp"
EVERYTHING = (
    "SELECT r.name, r.status, r.start_time, r.end_time FROM runs r ORDER BY r.name",
    "SELECT r.name, m.key, m.step, m.value, m.is_nan, m.timestamp FROM metrics m "
    "JOIN runs r USING (run_uuid) ORDER BY 1, 2, 3, 6",
    "SELECT r.name, p.key, p.value FROM params p JOIN runs r USING (run_uuid) ORDER BY 1, 2",
    "SELECT r.name, t.key, t.value FROM tags t JOIN runs r USING (run_uuid) ORDER BY 1, 2",
)


def record(runs: Path) -> None:
    """One whole look of a recorder that knows nothing yet."""
    fresh = Recorder(runs)
    fresh.look()
    assert fresh.error == ""


def test_a_run_stands_in_mlflow_with_all_that_belongs_to_it(runs: Path) -> None:
    run = writer.finished(
        runs, settings={"dropout": 0.5}, learner="ada", prediction=[1, 2], confidence="certain"
    )
    record(runs)
    (row,) = Store(runs).rows(10)
    assert (row.id, row.lab, row.status, row.learner) == (run.id, "four_brakes", "FINISHED", "ada")
    assert (row.started, row.seconds, row.step) == (writer.T0, 4.9, 50)
    assert row.params["dropout"] == "0.5"
    assert (row.params["seed"], row.params["device"]) == ("1337", "auto")
    assert (row.prediction, row.confidence, row.surprise) == ([1, 2], "certain", True)
    assert row.finding == run.finding
    assert row.metrics == {"train/loss": 1 / 50, "val/accuracy": 1 - 1 / 50}
    artifacts = {path.name for path in (runs / "mlartifacts").rglob("*.json")}
    assert artifacts == {"config.json", "finding.json"}


def test_what_a_run_stands_on_can_be_searched_for(runs: Path, ask: Ask) -> None:
    data = "3f2a09c1d5e6b7f8.row"
    parent = writer.finished(runs, data=data)
    writer.finished(runs, lab="same_maths", parent=parent.id)
    record(runs)
    stood_on = "SELECT key, value FROM params WHERE key IN ('data', 'parent') ORDER BY key"
    assert ask(stood_on) == [("data", data), ("parent", parent.id)]


def test_looking_again_adds_nothing(runs: Path, ask: Ask) -> None:
    writer.finished(runs)
    record(runs)
    before = [ask(question) for question in EVERYTHING]
    record(runs)
    assert [ask(question) for question in EVERYTHING] == before


def test_a_batch_whose_note_was_lost_is_written_again_without_a_trace(runs: Path, ask: Ask) -> None:
    run = writer.new(runs)
    writer.start(run)
    record(runs)
    note = run.path / "mlflow.json"
    before = note.read_bytes()
    writer.train(run, range(1, 31))
    record(runs)
    note.write_bytes(before)  # as if killed between the batch and its note
    writer.train(run, range(31, 41), t=3.0)
    record(runs)
    steps = [row[1] for row in ask(METRICS) if row[0] == "train/loss"]
    assert steps == list(range(1, 41))


def test_a_run_made_in_mlflow_without_any_note_is_found_by_its_tag(runs: Path, ask: Ask) -> None:
    run = writer.finished(runs)
    record(runs)
    (run.path / "mlflow.json").unlink()
    record(runs)
    assert ask("SELECT count(*) FROM runs") == [(1,)]
    assert len(ask(METRICS)) == 55


def test_a_resumed_run_has_each_step_once(runs: Path, ask: Ask) -> None:
    run = writer.new(runs)
    writer.start(run)
    writer.train(run, range(1, 31))
    record(runs)
    writer.end(run, "KILLED", t=4.0)
    record(runs)
    assert Store(runs).rows(1)[0].status == "KILLED"
    writer.start(run, kind="resumed", t=50.0, from_step=20)
    writer.train(run, range(21, 61), t=50.0)
    record(runs)
    assert Store(runs).rows(1)[0].status == "RUNNING"
    writer.end(run, t=60.0)
    record(runs)
    steps = [row[1] for row in ask(METRICS) if row[0] == "train/loss"]
    assert steps == list(range(1, 61))


def test_nan_arrives_as_nan(runs: Path) -> None:
    run = writer.new(runs)
    writer.start(run)
    values = {"train/loss": math.nan, "val/loss": math.inf}
    line = Event(kind="metrics", t=writer.T0, step=1, values=values).line()
    events.append(run.path / events.FILE, line)
    record(runs)
    (row,) = Store(runs).rows(1)
    assert math.isnan(row.metrics["train/loss"])
    assert "val/loss" not in row.metrics


def test_a_rebuilt_store_equals_the_one_that_grew(runs: Path, ask: Ask) -> None:
    grown = writer.new(runs, settings={"dropout": 0.1})
    growing = Recorder(runs)
    growing.look()
    writer.start(grown)
    for first in (1, 41, 81):
        writer.train(grown, range(first, first + 40), every_s=0.004, t=first)
        growing.look()
    writer.end(grown)
    writer.finished(runs)
    growing.look()
    before = [ask(question) for question in EVERYTHING]
    assert recorder.rebuild(runs) == 2
    assert [ask(question) for question in EVERYTHING] == before


def test_a_store_that_is_deleted_in_mid_run_is_written_anew(runs: Path, ask: Ask) -> None:
    run = writer.new(runs)
    writer.start(run)
    writer.train(run, range(1, 21))
    lasting = Recorder(runs)
    lasting.look()
    (runs / "mlflow.db").unlink()
    writer.train(run, range(21, 31), t=2.0)
    lasting.look()
    assert [row[1] for row in ask(METRICS) if row[0] == "train/loss"] == list(range(1, 31))


def test_a_locked_store_costs_no_event(runs: Path, ask: Ask) -> None:
    run = writer.new(runs)
    lasting = Recorder(runs)
    lasting.look()
    with closing(sqlite3.connect(runs / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        writer.start(run)
        writer.train(run, range(1, 21))
        lasting.look()
        assert "Another program holds the MLflow store" in lasting.error
        assert lasting.behind_s >= 1
    lasting.look()
    assert lasting.error == ""
    assert [row[1] for row in ask(METRICS) if row[0] == "train/loss"] == list(range(1, 21))


def test_a_damaged_store_is_said_and_a_rebuild_cures_it(runs: Path, ask: Ask) -> None:
    writer.finished(runs)
    (runs / "mlflow.db").write_bytes(b"no database at all, " * 100)
    broken = Recorder(runs)
    broken.look()
    assert "--rebuild" in broken.error
    assert recorder.rebuild(runs) == 1
    assert len(ask(METRICS)) == 55


def test_foreign_files_and_half_a_run_are_left_alone(runs: Path, ask: Ask) -> None:
    (runs / "notes.txt").write_text("mine")
    (runs / "20261130-000000-four_brakes-ffff").mkdir()
    broken = writer.finished(runs)
    (broken.path / "config.json").write_text("{")
    writer.finished(runs)
    record(runs)
    assert ask("SELECT count(*) FROM runs") == [(1,)]


def test_a_run_that_moves_away_while_it_is_followed_stops_nobody(runs: Path) -> None:
    moved, kept = writer.finished(runs), writer.finished(runs)
    lasting = Recorder(runs)
    shutil.rmtree(moved.path)
    lasting.look()
    assert [row.id for row in Store(runs).rows(10)] == [kept.id]


def test_one_recorder_a_runs_folder_which_hears_the_last_word_before_it_ends(
    runs: Path, ask: Ask, recorder_process: Callable[[], subprocess.Popen[bytes]]
) -> None:
    run = writer.new(runs)
    first = recorder_process()
    until(lambda: health.told(runs), "the first recorder speaks")
    assert not recorder.record(runs)
    with pytest.raises(BadState, match="make stop"):
        recorder.rebuild(runs)
    assert first.poll() is None
    writer.start(run)
    writer.end(run, "KILLED")
    first.send_signal(signal.SIGTERM)
    assert first.wait(30) == 0
    assert ask("SELECT status FROM runs") == [("KILLED",)]


def test_a_killed_recorder_leaves_each_step_once(
    runs: Path, ask: Ask, recorder_process: Callable[[], subprocess.Popen[bytes]]
) -> None:
    run = writer.new(runs)
    writer.start(run)
    writer.train(run, range(1, 6_001), every_s=0.02)
    process = recorder_process()
    until(lambda: (run.path / "mlflow.json").exists(), "a first batch is recorded")
    process.kill()
    process.wait()
    note = Progress.from_json((run.path / "mlflow.json").read_bytes())
    assert note.offset < (run.path / events.FILE).stat().st_size
    record(runs)
    question = "SELECT count(*), count(DISTINCT step) FROM metrics WHERE key='train/loss'"
    assert ask(question) == [(6_000, 6_000)]


def test_a_recorder_nobody_needs_leaves(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "LEAVES_AFTER_S", 0.2)
    monkeypatch.setattr(recorder, "EVERY_S", 0.05)
    assert recorder.record(runs)
    told = health.told(runs)
    assert told is not None
    assert told.ok
