"""Numbers become text in one place, each with its origin."""

import math

import pytest

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
