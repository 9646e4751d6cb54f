"""Numbers become text in one place, each with its origin."""

import math
from pathlib import Path

import pytest

from tests.pages import folders
from trainer import events
from trainer import runs as folder
from trainer.events import Event
from trainer.setting import SettingInfo
from ui import number, words


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1998, "", "1,998"),
        (0.581, "nats", "0.58 nats"),
        (-31.04, "dBm", "\N{MINUS SIGN}31.0 dBm"),
        (23.4, "s", "23 s"),
        (3.24, "s", "3.2 s"),
        (99.7, "s", "1 min 40 s"),
        (3599.9, "s", "1 h 0 min"),
        (0.0, "", "0.00"),
        (math.nan, "", "not a number"),
        (None, "", "none yet"),
    ],
)
def test_a_figure_is_as_exact_as_it_deserves(value: float | None, unit: str, shown: str) -> None:
    assert number.figure(value, unit) == shown


@pytest.mark.parametrize("origin", number.ORIGINS)
def test_every_origin_has_its_chip(origin: str) -> None:
    assert number.text(1, "", origin).endswith(f"badge[{origin}]")


def test_a_number_without_an_origin_is_refused() -> None:
    with pytest.raises(ValueError, match="no origin"):
        number.Number(1.0, "", "X")


def test_a_setting_is_shown_as_it_was_set() -> None:
    info = SettingInfo(name="rate", kind="number", default=0.00123, label="Rate", help="")
    assert words.setting(info, 0.00123) == "0.00123"


def test_a_sentence_with_a_number_ends_with_one_chip() -> None:
    assert number.sentence("It was 16. 14 epochs too late.", "M").count("badge[M]") == 1
    assert number.sentence("You said dropout.", "M") == "You said dropout."


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (0, "the start"),
        (31, "part 1, epoch 4"),
        (80, "the start of part 2"),
        (81, "part 2, epoch 1"),
        (160, "the start of part 3"),
        (200, "part 3, epoch 2"),
    ],
)
def test_a_resume_says_where_it_goes_on(runs: Path, step: int, told: str) -> None:
    run = folders.write_run(runs, "queue")
    arms = {"none": 0, "dropout": 80, "more_rows": 160}
    plan = {"steps": 240, "steps_per_epoch": 10, "arms": arms, "epoch_steps": {"more_rows": 20}}
    line = Event(kind="sample", t=0.0, step=0, seconds=0.0, values={"name": "plan", "value": plan})
    events.append(run.path / events.FILE, line.line())
    (run.path / "checkpoints" / f"{step}.json").write_text("{}")
    assert words.place_short(folder.find(runs, run.id)) == told


def test_a_quoted_figure_is_not_rounded_and_has_its_chip() -> None:
    assert number.quoted(16384, "", "D") == "**16,384** :blue-badge[D]"
    assert number.quoted(16.7, "%", "C") == "**16.7 %** :gray-badge[C]"


def test_a_tiny_figure_shows_two_digits_instead_of_zeros() -> None:
    assert number.figure(4.77e-7) == "4.8e\N{MINUS SIGN}7"
    assert number.figure(-3e-10, "nats") == "\N{MINUS SIGN}3.0e\N{MINUS SIGN}10 nats"
    assert number.figure(0.0) == "0.00"
    assert number.figure(0.0001) == "0.0001"
