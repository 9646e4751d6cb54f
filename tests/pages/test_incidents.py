"""Incidents after a night: one at a time, judged once, kept with the run."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from course.load import load
from tests.pages.test_pages import button, draw, words
from trainer import events
from trainer import runs as folder
from trainer.events import Event
from trainer.runs import Run, RunConfig

INCIDENTS = load().exercises["xid"]
RIGHT = INCIDENTS[0].right
WRONG = next(each.action for each in INCIDENTS[0].wrong)


@pytest.fixture
def run(runs: Path) -> Run:
    """A finished night shift of the learner ada."""
    made = folder.create(runs, RunConfig(lab="xid_night_shift", learner="ada"))
    ended = {"status": "FINISHED", "reason": "finished", "error": None, "surprise": None}
    for kind, values in (("started", {"device": "cpu"}), ("ended", ended)):
        line = Event(kind=kind, t=1.0, values=values).line()  # type: ignore[arg-type]
        events.append(made.path / events.FILE, line)
    return made


def opened(run: Run, learner: str = "ada") -> AppTest:
    return draw("operations", lab="xid_night_shift", run=run.id, learner=learner)


def choose(app: AppTest, action: str) -> None:
    question = next(each for each in app.radio if each.label == "What do you do first?")
    question.set_value(action)
    button(app, "Do this first").click().run()


def test_the_symptom_and_the_log_stand_there_and_nothing_is_judged_yet(run: Run) -> None:
    app = opened(run)
    assert INCIDENTS[0].symptom in words(app)
    assert INCIDENTS[0].log[0] in [each.value for each in app.code]
    assert "Nothing here touches a real GPU" in words(app)
    assert INCIDENTS[0].why not in words(app)
    button(app, "Do this first").click().run()
    assert run.notes == {}


def test_a_right_choice_is_said_and_kept(run: Run) -> None:
    app = opened(run)
    choose(app, RIGHT)
    assert run.notes["incidents"] == {INCIDENTS[0].id: RIGHT}
    assert "Right." in words(app)
    assert INCIDENTS[0].why in words(app)
    assert "1 of 1 first actions were right" in words(app)


def test_a_wrong_choice_brings_its_own_reason_and_the_right_one(run: Run) -> None:
    app = opened(run)
    choose(app, WRONG)
    assert "Not so." in words(app)
    assert next(each.why for each in INCIDENTS[0].wrong if each.action == WRONG) in words(app)
    assert INCIDENTS[0].why in words(app)
    assert "0 of 1 first actions were right" in words(app)


def test_a_reload_goes_on_with_the_first_open_incident(run: Run) -> None:
    choose(opened(run), RIGHT)
    app = opened(run)
    assert f"Incident 2 of {len(INCIDENTS)}" in words(app)
    button(app, "Back").click().run()
    assert "Right." in words(app)
    button(app, "Next").click().run()
    assert INCIDENTS[1].symptom in words(app)


def test_somebody_else_is_not_asked(run: Run) -> None:
    app = opened(run, learner="bob")
    assert not [each for each in app.radio if each.label == "What do you do first?"]


@pytest.mark.parametrize("kept", ["x", [1], {"new_release": 3}, {"elsewhere": "reset"}])
def test_notes_that_somebody_spoilt_cost_nothing(kept: object, run: Run) -> None:
    run.note(incidents=kept)
    app = opened(run)
    assert f"Incident 1 of {len(INCIDENTS)}" in words(app)
    assert "first actions were right" not in words(app)
