"""A ticket as columns: exactly those that the model was trained on."""

import numpy as np
import pytest
import torch

from tests.serve.making import Made
from trainer.datasets import Desk
from trainer.serve.reading import MOST_CHARACTERS, Reading
from trainer.travelling import Sets


@pytest.fixture(scope="module")
def reading(made: Made) -> Reading:
    return Reading.of(made.config)


def names(desk: Desk, row: int) -> list[str]:
    return [desk.alarm_names[place] for place in np.flatnonzero(desk.alarms[row])]


def test_columns_equal_those_of_training_to_the_last_bit(desk: Desk, reading: Reading) -> None:
    sets = Sets.of(desk, 200, 1337, torch.device("cpu"))
    rows = sets.test_rows
    columns = reading.columns(
        [desk.texts[row] for row in rows],
        [names(desk, row) for row in rows],
        desk.second[rows].tolist(),
        desk.month[rows].tolist(),
    )
    assert np.array_equal(columns, sets.test[0].numpy())


def test_without_alarms_those_count_that_the_text_names(reading: Reading) -> None:
    text = "OLT081 S016 ; WARN linkDown ; CRIT lossOfSignal | cut by a digger, linkDown again"
    told = reading.columns([text], [["lossOfSignal", "linkDown"]])
    assert np.array_equal(reading.columns([text]), told)
    mixed = reading.columns([text, text], [None, ["linkDown"]])
    assert np.array_equal(mixed[:1], told)
    assert mixed[1, : len(reading.alarms)].sum() == 1
    assert reading.columns([text])[0, len(reading.alarms)] == np.float32(2 / 5)
    assert reading.columns(["nothing to see"])[0, : len(reading.alarms) + 1].sum() == 0


def test_times_that_nobody_told_are_the_middle(reading: Reading) -> None:
    first = len(reading.alarms) + 1
    assert reading.columns(["a"])[0, first : first + 4].tolist() == [0.5, 0.5, 0, 0]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            {"texts": ["a"], "alarms": [["linkSideways"]]},
            "no alarm 'linkSideways'; the nearest are link",
        ),
        ({"texts": ["a" * (MOST_CHARACTERS + 1)]}, "more than 8000 characters"),
        ({"texts": ["a"], "seconds": [86_400]}, "between 0 and 86399"),
        ({"texts": ["a"], "months": [-1]}, "between 0 and 23"),
    ],
)
def test_what_cannot_be_read_is_said(reading: Reading, told: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        reading.columns(**told)


def test_a_config_without_its_parts_is_refused(made: Made) -> None:
    for name in made.config:
        with pytest.raises(ValueError, match=name):
            Reading.of({key: value for key, value in made.config.items() if key != name})
        with pytest.raises(ValueError, match="lists of names"):
            Reading.of(made.config | {name: [1, 2]})
