"""The Runs page in every state of the history."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.history import writer
from tests.history.conftest import ROOT
from tests.history.waiting import until
from tests.registry import by_hand
from trainer import registry, tracking
from trainer.runs import RunStatus, find, list_runs
from trainer.tracking import reader
from trainer.tracking.recorder import Recorder
from ui import run_words

pytestmark = pytest.mark.filterwarnings("ignore:The ``noload``:DeprecationWarning")


@pytest.fixture(autouse=True)
def _loaded() -> None:
    tracking.warm_up()
    until(tracking.is_loaded, "MLflow is loaded")


def draw(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "ui" / "shell.py"), default_timeout=60)
    app.run()
    query = {"show_learner": "Everyone"} | query
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page("../pages/runs.py").run()
    assert not app.exception, app.exception[0].value
    return app


def words(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in [*app.title, *app.markdown, *app.warning])


def click(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    app.run()
    assert not app.exception, app.exception[0].value
    return app


def history(runs: Path) -> list[str]:
    """Four runs, recorded: the ids of the three of one lab, newest first."""
    writer.finished(runs, lab="split_trap")
    writer.finished(runs, steps=30)
    writer.finished(runs, steps=60, settings={"dropout": 0.5}, seed=7)
    stopped = writer.new(runs, learner="ada")
    writer.start(stopped)
    writer.train(stopped, range(1, 21))
    writer.end(stopped, "KILLED", reason="stopped by the learner")
    Recorder(runs).look()
    return [run.id for run in list_runs(runs, lab="four_brakes")]


@pytest.mark.usefixtures("runs")
def test_without_runs_the_page_says_what_will_stand_here() -> None:
    assert "No runs yet" in words(draw())


def test_while_mlflow_loads_the_runs_are_there_already(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.finished(runs)
    monkeypatch.setattr(reader, "_is_loaded", threading.Event())
    monkeypatch.setattr(reader, "warm_up", lambda: None)
    app = draw()
    assert "The history is loading" in words(app)
    assert len(app.dataframe[0].value) == 1


def test_the_table_tells_each_run_in_words(runs: Path) -> None:
    history(runs)
    frame = draw().dataframe[0].value
    assert list(frame["Status"]) == ["Stopped at step 20", "Finished", "Finished", "Finished"]
    assert list(frame["Run"][:2]) == ["Usual settings", "dropout 0.5"]
    assert list(frame["Learner"])[:1] == ["ada"]
    assert set(frame["Origin"]) == {"M"}
    assert "Kept in" not in frame


def test_filters_and_order_stand_in_the_address(runs: Path) -> None:
    history(runs)
    app = draw(show_status="Finished", show_order="Longest first")
    frame = app.dataframe[0].value
    assert list(frame["Time (s)"]) == sorted(frame["Time (s)"], reverse=True)
    assert set(frame["Status"]) == {"Finished"}
    assert list(draw(show_learner="ada").dataframe[0].value["Status"]) == ["Stopped at step 20"]
    only = draw(show_lab=run_words.lab("split_trap"))
    assert len(only.dataframe[0].value) == 1
    assert "Lab" not in only.dataframe[0].value


def test_two_ticked_runs_are_laid_over_each_other(runs: Path) -> None:
    _, long, short = history(runs)
    app = draw(ticked=f"{long},{short}")
    told = words(app)
    assert "What differs" in told
    assert "reaches the highest validation accuracy" in told
    table = {str(name): str(values.iloc[0]) for name, values in app.table[0].value.iterrows()}
    assert table["dropout"] == "0.5 → usual"
    assert table["Seed"] == "7 → 1337"
    assert "Learner" not in table
    assert len(app.get("plotly_chart")) == 1


def test_a_curve_can_be_laid_along_steps_seconds_and_examples(runs: Path) -> None:
    _, long, short = history(runs)
    for axis in ("By seconds", "By examples"):
        app = draw(ticked=f"{long},{short}", show_along=axis)
        assert axis.removeprefix("By ") in app.get("plotly_chart")[0].proto.spec


def test_one_ticked_run_asks_for_a_second(runs: Path) -> None:
    newest = history(runs)[0]
    assert "Tick a second run" in words(draw(ticked=newest))


def test_a_run_is_deleted_and_taken_back(runs: Path) -> None:
    newest = history(runs)[0]
    app = click(draw(ticked=newest, learner="ada"), "Delete this run")
    assert newest not in [run.id for run in list_runs(runs)]
    assert len(app.dataframe[0].value) == 3
    app = click(app, "Undo")
    assert find(runs, newest).status is RunStatus.KILLED
    assert len(app.dataframe[0].value) == 4


def test_deleting_a_registered_run_says_that_its_version_stays(runs: Path) -> None:
    run = writer.finished(runs)
    by_hand.make(runs, run.id)
    app = click(draw(ticked=run.id), "Delete this run")
    assert "What was registered of it stays: versions are copies." in words(app)
    assert registry.made_of(runs, run.id)
    app = click(draw(ticked=writer.finished(runs).id), "Delete this run")
    assert "What was registered" not in words(app)


def test_a_waiting_run_is_not_deleted_and_the_page_says_why(runs: Path) -> None:
    waiting = writer.new(runs)
    app = click(draw(ticked=waiting.id), "Delete this run")
    assert "Stop it first" in words(app)
    assert waiting.path.is_dir()


def test_a_locked_store_is_said_and_the_folders_speak(runs: Path) -> None:
    history(runs)
    with closing(sqlite3.connect(runs / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        app = draw()
    assert "Another program holds the MLflow store" in words(app)
    assert len(app.dataframe[0].value) == 4


def test_a_missing_store_is_said_and_the_folders_speak(runs: Path) -> None:
    writer.finished(runs)
    app = draw()
    assert "not there yet" in words(app)
    assert list(app.dataframe[0].value["Kept in"]) == ["not yet in the history"]


def test_ids_that_are_no_runs_are_passed_over(runs: Path) -> None:
    history(runs)
    app = draw(ticked="../../etc/passwd,20261130-000000-nothing-ffff")
    assert len(app.dataframe[0].value) == 4
    assert not app.get("plotly_chart")
