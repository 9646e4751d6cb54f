"""Learners side by side: a safe name, a view of their own, and nobody steers another's run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import folders
from tests.pages.test_pages import draw, words
from trainer.runs import Run, list_runs

pytestmark = pytest.mark.filterwarnings("ignore:SOCKS support")
STEERING = {
    "queue": ["Leave the line"],
    "running": ["Pause", "Stop"],
    "paused": ["Resume", "Step", "Stop"],
    "stopped": ["Resume"],
    "killed": ["Resume"],
    "finished": [],
}


def labels(app: AppTest) -> list[str]:
    return [button.label.removeprefix(":orange[").rstrip("]") for button in app.button]


def steering(app: AppTest) -> list[str]:
    known = {"Leave the line", "Pause", "Stop", "Resume", "Step", "Start again"}
    return [label for label in labels(app) if label in known or label.startswith("Resume")]


def find(app: AppTest, label: str) -> Any:
    return next(button for button in app.button if label in button.label)


def steps_of(app: AppTest) -> str:
    return next(
        text for html in app.get("html") if "Steps of this lab" in (text := html.proto.body)
    )


def files(run: Run) -> dict[str, bytes]:
    """Everything in a run's folder, so that nothing changes unseen."""
    return {str(p): p.read_bytes() for p in run.path.rglob("*") if p.is_file()}


@pytest.fixture
def ada(runs: Path) -> Callable[[str], Run]:
    """Makes a run of ada's in a state."""
    folders.write_catalogue(runs)
    return lambda state: folders.write_run(runs, state, learner="ada", seed=7)


@pytest.mark.parametrize(("state", "buttons"), STEERING.items())
def test_a_visitor_watches_and_only_the_runs_own_learner_steers(
    ada: Callable[[str], Run], state: str, buttons: list[str]
) -> None:
    run = ada(state)
    mine = draw("training", lab="four_brakes", run=run.id, learner="ada")
    assert all(any(label.startswith(b) for label in steering(mine)) for b in buttons)
    assert "You are watching" not in words(mine)
    other = draw("training", lab="four_brakes", run=run.id, learner="bob")
    assert steering(other) == []
    assert not any(button.proto.shortcut for button in other.button), "no key steers it either"
    assert "You are watching ada's run." in words(other)


@pytest.mark.parametrize(
    ("state", "label"),
    [(state, label) for state, found in STEERING.items() for label in found],
)
def test_a_press_is_judged_when_it_comes_whatever_the_page_had_shown(
    ada: Callable[[str], Run], state: str, label: str
) -> None:
    run = ada(state)
    app = draw("training", lab="four_brakes", run=run.id, learner="ada")
    before = files(run)
    app.query_params["learner"] = "bob"  # the buttons of ada's page are still there to be pressed
    find(app, label).click().run()
    assert not app.exception
    assert files(run) == before
    assert "Nothing was changed" in app.toast[0].value


def test_the_same_press_of_the_runs_own_learner_counts(ada: Callable[[str], Run]) -> None:
    run = ada("running")
    find(draw("training", lab="four_brakes", run=run.id, learner="ada"), "Pause").click().run()
    assert (run.path / "commands" / "pause").exists()


def test_a_finding_and_an_explanation_are_kept_by_its_own_learner_only(
    ada: Callable[[str], Run],
) -> None:
    run = ada("finished")
    app = draw("training", lab="four_brakes", run=run.id, learner="ada")
    app.text_area[0].set_value("It turned at epoch 12.")
    app.query_params["learner"] = "bob"
    find(app, "Save the finding").click().run()
    assert run.notes == {}
    watching = draw("training", lab="four_brakes", run=run.id, learner="bob")
    assert not watching.text_area
    assert 'aria-current="step"><span></span>Observe' in steps_of(watching)
    assert not watching.radio
    app = draw("training", lab="four_brakes", run=run.id, learner="ada")
    app.text_area[0].set_value("It turned at epoch 12.")
    find(app, "Save the finding").click().run()
    assert run.notes["finding"] == "It turned at epoch 12."


@pytest.mark.parametrize("state", ["running", "finished"])
def test_run_it_yourself_takes_the_settings_along_and_leaves_the_run(
    ada: Callable[[str], Run], state: str
) -> None:
    run = ada(state)
    app = draw("training", lab="four_brakes", run=run.id, learner="bob")
    find(app, "Run it yourself").click().run()
    assert "run" not in app.query_params
    assert app.query_params["learner"] == "bob"
    assert app.query_params["seed"] == "7", "the settings that are not the usual ones"
    assert "You are watching" not in words(app)


@pytest.mark.parametrize(
    ("asked", "kept"), [("Ada L.", "ada-l"), ("../../x", "x"), ("ADA", "ada"), ("local", None)]
)
def test_a_name_in_the_address_is_put_right(runs: Path, asked: str, kept: str | None) -> None:
    app = draw("training", learner=asked)
    assert app.query_params.get("learner") == kept
    assert not app.warning


def test_a_name_of_which_nothing_is_left_is_refused_in_one_line(runs: Path) -> None:
    app = AppTest.from_file(str(Path(draw.__code__.co_filename).parents[2] / "ui" / "shell.py"))
    app.query_params["learner"] = "///"
    app.run(timeout=60)
    assert "no letter or digit" in app.warning[0].value
    assert "learner" not in app.query_params


@pytest.mark.parametrize("page", ["home", "training", "runs"])
def test_the_name_is_asked_in_passing_and_the_page_says_there_is_no_password(
    runs: Path, page: str
) -> None:
    app = draw(page)
    assert "There is no password: anyone who knows a name can use it." in words(app)
    app.text_input[0].set_value("Grace H.")
    find(app, "Use this name").click().run()
    assert app.query_params["learner"] == "grace-h"
    app.text_input[0].set_value("local")
    find(app, "Use this name").click().run()
    assert "learner" not in app.query_params


def test_a_name_without_a_letter_changes_nothing(runs: Path) -> None:
    app = draw("home", learner="ada")
    app.text_input[0].set_value("?!")
    find(app, "Use this name").click().run()
    assert app.query_params["learner"] == "ada"
    assert "A name needs a letter or a digit." in words(app)


def test_every_link_of_a_page_carries_the_name(runs: Path) -> None:
    folders.write_catalogue(runs)
    folders.write_run(runs, "finished", learner="ada")
    for page in ("home", "training", "runs"):
        app = draw(page, learner="ada")
        for link in app.get("page_link"):
            assert "learner=ada" in link.proto.query_string, (page, link.proto.label)
        routes = [c.proto.json for c in app.get("bidi_component") if "stations" in c.proto.json]
        assert all('"learner=ada"' in json.dumps(json.loads(route)["query"]) for route in routes)


def test_the_runs_page_shows_the_learners_own_runs_and_everyones_on_demand(runs: Path) -> None:
    folders.write_catalogue(runs)
    for learner in ("ada", "ada", "bob"):
        folders.write_run(runs, "finished", learner=learner)
    app = draw("runs", learner="ada")
    assert len(app.dataframe[0].value) == 2
    pills = next(each for each in app.get("button_group") if each.label == "Learner")
    assert list(pills.options) == ["ada", "Everyone", "bob"]
    pills.set_value("Everyone").run()
    assert len(app.dataframe[0].value) == 3
    assert set(app.dataframe[0].value["Learner"]) == {"ada", "bob"}


def test_a_run_is_deleted_by_its_own_learner_only(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, "finished", learner="ada")
    app = draw("runs", learner="bob", ticked=run.id)
    assert len(app.dataframe[0].value) == 1, "an address that was sent on shows what it names"
    assert not any("Delete" in label for label in labels(app))
    app = draw("runs", learner="ada", ticked=run.id)
    app.query_params["learner"] = "bob"
    find(app, "Delete").click().run()
    assert list_runs(runs) == [run]
    assert "only ada can delete it" in words(app).lower()
