"""The plain reading of a curve: each rule speaks where it should, and not where it should not."""

import math
import random
from collections.abc import Callable

import pytest

from trainer.history import Point
from trainer.reading import RULES, of_lines, read, trend

Shape = Callable[[float], float]


def line(shape: Shape, count: int = 100, noise: float = 0.0, seed: int = 1) -> list[Point]:
    """Points of a curve over 0 to 1, at the steps 10, 20, 30 ..."""
    draws = random.Random(seed)
    return [
        (10 * k, shape(k / count) + draws.gauss(0, noise), float(k)) for k in range(1, count + 1)
    ]


def falls(x: float) -> float:
    return 2.0 * math.exp(-2 * x)


def rests(x: float) -> float:
    return 0.5 + 1.5 * math.exp(-30 * x)


def turns(x: float) -> float:
    return 1.0 + (x - 0.4) ** 2


def rises(x: float) -> float:
    return 1.0 + x


@pytest.mark.parametrize(
    ("train", "val", "kind", "words"),
    [
        (falls, falls, "improving", "Both lines are falling"),
        (falls, rests, "half", "Only training still falls"),
        (rests, falls, "half", "Only validation still falls"),
        (rests, rests, "flat", "Both lines are flat"),
        (falls, turns, "overfitting", "Validation has risen since {since}"),
        (rises, turns, "diverging", "Training loss is higher than at the start"),
        (rises, rises, "diverging", "Training loss is higher than at the start"),
    ],
)
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_each_shape_is_read_for_what_it_is(
    train: Shape, val: Shape, kind: str, words: str, noise: float
) -> None:
    found = read(line(train, noise=noise), line(val, noise=noise, seed=2))
    assert found is not None
    assert (found.kind, found.bold) == (kind, words)


def test_the_step_of_the_turn_is_that_of_the_best_point() -> None:
    found = read(line(falls), line(turns))
    assert found is not None
    assert (found.since, found.line) == (400, "val")
    assert found.rest == ": the model overfits."


def test_a_turn_while_training_gets_worse_as_well_is_no_overfitting() -> None:
    found = read(line(lambda x: 1 + 9 * max(0.4 - x, (x - 0.4) / 3)), line(turns))
    assert found is not None
    assert found.kind == "worsening"
    assert "training got worse as well" in found.rest


def test_noise_alone_is_flat_and_turns_nowhere() -> None:
    readings = [
        read(line(lambda _: 1.0, noise=0.1, seed=k), line(lambda _: 1.0, noise=0.1, seed=k + 50))
        for k in range(40)
    ]
    kinds = [found.kind for found in readings if found]
    assert kinds.count("overfitting") + kinds.count("diverging") <= 1
    assert kinds.count("flat") >= 30


def test_a_few_points_say_nothing() -> None:
    assert read(line(falls, 7), line(turns, 100)) is None
    assert read(line(falls, 100), line(turns, 7)) is None
    assert read([], []) is None


def test_a_figure_that_is_no_number_speaks_first_however_few_points_there_are() -> None:
    broken = [*line(falls, 3), (40, math.nan, 4.0), (50, 1.0, 5.0)]
    found = read(broken, line(turns))
    assert found is not None
    assert (found.kind, found.since) == ("diverging", 40)
    assert found.bold == "Training is not a number (NaN) since {since}"
    found = read(line(falls), [(10, math.inf, 1.0)])
    assert found is not None
    assert found.bold == "Validation is infinite since {since}"


def test_for_an_accuracy_up_is_good() -> None:
    up, down = (lambda x: 0.5 + 0.3 * x), (lambda x: 0.8 - (x - 0.4) ** 2)
    found = read(line(up), line(down), low=False)
    assert found is not None
    assert (found.kind, found.bold) == ("overfitting", "Validation has fallen since {since}")
    found = read(line(up), line(up), low=False)
    assert found is not None
    assert found.bold == "Both lines are rising"


@pytest.mark.parametrize(("shape", "way"), [(falls, -1), (rises, 1), (rests, 0)])
def test_a_line_falls_rises_or_is_flat(shape: Shape, way: int) -> None:
    assert trend(line(shape)) == way


def test_every_chart_is_read_and_every_line_has_its_word() -> None:
    lines = {
        "train/loss": line(falls),
        "val/loss": line(turns),
        "row.val/accuracy": line(rises),
        "device.train/loss": [(1, math.nan, 0.1)],
        "grid.val/accuracy": line(rises, 3),
    }
    found = of_lines(lines)
    assert (
        found["charts"]["loss"]["bold"] == "Training (device) is not a number (NaN) since {since}"
    )
    assert found["charts"]["loss"]["line"] == "device.train/loss"
    assert set(found["charts"]) == {"loss"}
    assert found["lines"]["row.val/accuracy"] == "rising"
    assert "grid.val/accuracy" not in found["lines"]
    del lines["device.train/loss"]
    assert of_lines(lines)["charts"]["loss"]["line"] == "val/loss"
    assert of_lines({}) == {"charts": {}, "lines": {}}


def test_the_rules_that_the_page_shows_are_those_of_the_function_itself() -> None:
    assert [rule.split(":")[0] for rule in RULES[:3]] == [
        "Diverging",
        "Overfitting",
        "Falling, flat or rising",
    ]
    assert all(rule in " ".join((read.__doc__ or "").split()) for rule in RULES)
