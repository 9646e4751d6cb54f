"""The registry and the endpoint on the last stage's page, with an endpoint that is only told of."""

from pathlib import Path
from typing import Any

import pytest

from tests.pages import folders
from tests.pages.test_pages import button, draw, words
from tests.registry import by_hand
from trainer import registry
from trainer.errors import BadState
from trainer.process import identity
from trainer.serve import client
from trainer.serve.client import Answer, Endpoint
from ui import answering
from ui.answering import Seen

ADDRESS = "http://127.0.0.1:4711"
READY = Seen(state="ready", address=ADDRESS, version="1")
ANSWER = Answer(
    cause="power_fault", probability=0.83, scores=(0.1, 0.9), version="1", queue_ms=0.4,
    compute_ms=1.25, batch_rows=1, total_ms=3.5,
)  # fmt: skip


class Told:
    """An endpoint as the page is told of it, and what the page asked."""

    def __init__(self) -> None:
        self.seen, self.answer, self.asked = READY, ANSWER, list[tuple[str, ...]]()

    def look(self, _runs: Path, _learner: str) -> Seen:
        return self.seen

    def ask(self, _runs: Path, learner: str, text: str, alarms: list[str]) -> Answer:
        self.asked.append((learner, text, *alarms))
        if self.answer is None:
            raise BadState("The endpoint says: the queue is full")
        return self.answer


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    made = Told()
    monkeypatch.setattr(answering, "look", made.look)
    monkeypatch.setattr(answering, "ask", made.ask)
    lives = Endpoint(address=ADDRESS, process=identity(), started=0.0)
    monkeypatch.setattr(client, "running", lambda _runs: lives)
    return made


@pytest.fixture
def version(runs: Path) -> int:
    folders.write_catalogue(runs)
    return by_hand.make(runs, "20261130-101512-four_brakes-0001")


def press(app: Any, label: str) -> Any:
    return button(app, label).click().run()


def test_before_the_first_version_the_page_says_the_way_to_one(runs: Path) -> None:
    folders.write_catalogue(runs)
    app = draw("serving")
    assert "No model is registered yet" in words(app)
    assert any("lab 2.5" in link.proto.label for link in app.get("page_link"))
    assert not app.text_area


def test_the_versions_stand_in_a_table_with_accuracy_origin_and_champion(
    told: Told, runs: Path, version: int
) -> None:
    by_hand.make(runs, "20261130-101512-four_brakes-0002", parent="20261130-101512-same_maths-00aa")
    table = draw("serving").table[0].value
    assert list(table["Version"]) == ["**2** champion", "1"]
    assert set(table["Right"]) == {"**0.62** :green-badge[M]"}
    assert list(table["Parent"]) == ["`same_maths-00aa`", "none"]


def test_rolling_back_by_the_button(told: Told, runs: Path, version: int) -> None:
    by_hand.make(runs, "20261130-101512-four_brakes-0002")
    app = draw("serving")
    app.selectbox[0].set_value(1).run()
    press(app, "Roll back to version 1")
    found = registry.champion(runs, "local")
    assert found is not None
    assert found.number == 1
    app.selectbox[0].set_value(2).run()
    press(app, "Make it champion")
    found = registry.champion(runs, "local")
    assert found is not None
    assert found.number == 2


def test_a_learner_sees_only_the_own_model(told: Told, runs: Path, version: int) -> None:
    assert "alarm-desk.local" in words(draw("serving"))
    assert "No model is registered yet" in words(draw("serving", learner="ada"))


def test_the_data_card_tells_where_a_version_comes_from(
    told: Told, runs: Path, version: int
) -> None:
    (card,) = [table.value for table in draw("serving").table[1:]]
    text = card.to_string()
    for words_ in ("`0123456789abcdef`, synthetic", "by device", "1.0e\N{MINUS SIGN}7", "M"):
        assert words_ in text


def test_a_ticket_is_asked_and_answered_with_its_times(
    told: Told, runs: Path, version: int
) -> None:
    app = draw("serving")
    assert app.text_area[0].value == by_hand.TEXT
    app.text_area[0].set_value("No mains, <b>generator</b> silent")
    press(app, "Ask the champion")
    assert told.asked == [("local", "No mains, <b>generator</b> silent", "linkDown")]
    assert "### Power fault" in words(app)
    assert {each.label: each.value for each in app.metric} == {
        "Probability :green-badge[M]": "0.83",
        "Waited :green-badge[M]": "0.40 ms",
        "Computed :green-badge[M]": "1.25 ms",
        "There and back :green-badge[M]": "3.50 ms",
    }
    assert "answer table" not in words(app)
    assert "<b>" not in words(app)
    assert "generator" in app.code[0].value


def test_the_ticket_of_the_data_set_is_judged(told: Told, runs: Path, version: int) -> None:
    app = press(draw("serving"), "Ask the champion")
    assert "**Not so.** The answer table says fibre cut." in words(app)


def test_a_refusal_and_an_empty_ticket_are_sentences(told: Told, runs: Path, version: int) -> None:
    told.answer = None
    app = press(draw("serving"), "Ask the champion")
    assert app.warning[0].value == "The endpoint says: the queue is full"
    app.text_area[0].set_value("  ")
    app.button_group[0].set_value([])
    app = press(app, "Ask the champion")
    assert "An empty ticket has no cause" in app.warning[0].value
    assert len(told.asked) == 1


@pytest.mark.parametrize(
    ("seen", "sentence", "can_ask"),
    [
        (Seen(state="starting"), "**Starting.**", False),
        (Seen(state="loading", address=ADDRESS), "**Loading.**", False),
        (Seen(state="failed", words="no room"), "It says: no room", False),
        (READY, f"Version 1 answers at `{ADDRESS}`", True),
        (Seen(state="ready", version="1", address=ADDRESS, words="bad hash"), "bad hash", True),
    ],
)
def test_every_state_of_the_endpoint_is_said(
    told: Told, runs: Path, version: int, seen: Seen, sentence: str, can_ask: bool
) -> None:
    told.seen = seen
    app = draw("serving")
    assert sentence in words(app)
    assert button(app, "Ask the champion").disabled is not can_ask


def test_a_version_whose_run_is_deleted_says_so(told: Told, runs: Path, version: int) -> None:
    assert "is deleted; the version stays" in words(draw("serving"))
