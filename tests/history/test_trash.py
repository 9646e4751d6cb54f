"""Deleting and taking back, in the folders and in MLflow."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.history import writer
from tests.history.conftest import Ask
from trainer import tracking
from trainer.errors import BadState, UnknownRun
from trainer.runs import list_runs
from trainer.tracking import trash
from trainer.tracking.recorder import Recorder

pytestmark = pytest.mark.filterwarnings("ignore:The ``noload``:DeprecationWarning")

STAGES = "SELECT lifecycle_stage FROM runs ORDER BY name"


def test_a_deleted_run_is_gone_everywhere_and_comes_back(runs: Path, ask: Ask) -> None:
    run, other = writer.finished(runs), writer.finished(runs)
    recorder = Recorder(runs)
    recorder.look()
    tracking.delete(runs, run.id)
    assert [left.id for left in list_runs(runs)] == [other.id]
    assert [kept.id for kept in tracking.trashed(runs)] == [run.id]
    assert ask(STAGES) == [("deleted",), ("active",)]
    recorder.look()
    assert recorder.error == ""
    assert tracking.restore(runs, run.id).finding == run.finding
    assert ask(STAGES) == [("active",), ("active",)]
    assert tracking.trashed(runs) == []


def test_mlflow_follows_later_when_it_was_locked(runs: Path, ask: Ask) -> None:
    run = writer.finished(runs)
    recorder = Recorder(runs)
    recorder.look()
    with closing(sqlite3.connect(runs / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        tracking.delete(runs, run.id)
    assert ask(STAGES) == [("active",)]
    recorder.look()
    assert ask(STAGES) == [("deleted",)]
    with closing(sqlite3.connect(runs / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        tracking.restore(runs, run.id)
    recorder.look()
    assert ask(STAGES) == [("active",)]


def test_a_run_that_waits_or_runs_stays(runs: Path) -> None:
    waiting = writer.new(runs)
    with pytest.raises(BadState, match="Stop it first"):
        tracking.delete(runs, waiting.id)
    assert waiting.path.is_dir()


def test_a_run_that_another_stands_on_stays(runs: Path) -> None:
    first = writer.finished(runs)
    second = writer.finished(runs, parent=first.id)
    with pytest.raises(BadState, match=second.id):
        tracking.delete(runs, first.id)
    tracking.delete(runs, second.id)
    tracking.delete(runs, first.id)
    assert list_runs(runs) == []


@pytest.mark.parametrize("name", ["../outside", "trash", "20261130-000000-four_brakes-ffff"])
def test_what_is_no_run_cannot_be_deleted_or_taken_back(runs: Path, name: str) -> None:
    with pytest.raises(UnknownRun):
        tracking.delete(runs, name)
    with pytest.raises(UnknownRun):
        tracking.restore(runs, name)


def test_the_trash_is_emptied_after_seven_days(runs: Path) -> None:
    old, new = writer.finished(runs), writer.finished(runs)
    tracking.delete(runs, old.id)
    tracking.delete(runs, new.id)
    place = runs / trash.FOLDER / old.id
    eight_days_ago = place.stat().st_mtime - 8 * 24 * 3600
    os.utime(place, (eight_days_ago, eight_days_ago))
    trash.purge(runs)
    assert [kept.id for kept in tracking.trashed(runs)] == [new.id]


def test_the_space_is_counted_by_what_takes_it(runs: Path) -> None:
    run = writer.finished(runs)
    before = tracking.space_used(runs)
    assert before.runs == sum(f.stat().st_size for f in run.path.rglob("*") if f.is_file())
    (runs / "data").mkdir()
    (runs / "data" / "tickets.json").write_bytes(b"x" * 1000)
    tracking.delete(runs, run.id)
    after = tracking.space_used(runs)
    assert (after.runs, after.trash, after.data) == (0, before.runs, 1000)
    assert after.total == before.runs + 1000 + after.store
