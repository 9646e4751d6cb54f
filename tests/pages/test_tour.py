"""Home shows the ninety seconds as they go: every leg in words, its figure, its failure."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.pages import folders
from tests.pages.test_pages import draw, words
from trainer import tour
from trainer.tour import LEGS

pytestmark = pytest.mark.filterwarnings("ignore:SOCKS support")


def test_home_offers_the_tour_and_the_first_stage(runs: Path) -> None:
    app = draw("home")
    assert any("ninety seconds" in button.label for button in app.button)


def test_a_tour_on_its_way_shows_each_leg(runs: Path) -> None:
    run = folders.write_run(runs, "finished")
    told = tour.begin(runs, "local")
    told.lead()
    told.say(replace(LEGS[0], state="done", figure="2,000 tickets"))
    told.say(replace(LEGS[2], state="done", figure="71% right", run=run.id))
    told.say(replace(LEGS[3], state="running"))
    said = words(draw("home", tour=told.id))
    assert "Done. Make the tickets (Data): **2,000 tickets**" in said
    assert "Now. Train it on two workers" in said
    assert "71% right (M)" in said, "the station of the route lights up"
    assert "You may leave this page" in said


def test_a_failed_leg_says_why(runs: Path) -> None:
    told = tour.begin(runs, "local")
    told.lead()
    told.say(replace(LEGS[0], state="failed", text="The disk is full."))
    told.end()
    app = draw("home", tour=told.id)
    assert "The disk is full." in [error.value for error in app.error]
    assert "The tour stopped after" in words(app)


def test_a_finished_tour_says_how_long_it_took(runs: Path) -> None:
    told = tour.begin(runs, "local")
    told.lead()
    for leg in LEGS:
        told.say(replace(leg, state="done", figure="one"))
    told.end()
    assert "All of it took" in words(draw("home", tour=told.id))


def test_a_foreign_name_in_the_address_shows_home_as_ever(runs: Path) -> None:
    assert "All of it took" not in words(draw("home", tour="../../etc"))
