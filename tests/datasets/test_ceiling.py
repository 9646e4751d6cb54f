"""The ceiling is the generator's own posterior: calibrated on its draws, moved by the dials."""

from functools import cache
from itertools import islice

import numpy as np
import pytest

from trainer.datasets import Ceiling, Desk, Dials, ceiling, ceilings
from trainer.datasets.ceiling import posterior
from trainer.datasets.draws import Draws
from trainer.datasets.incidents import happenings
from trainer.datasets.world import World

ROWS = 4000


@cache
def usual() -> tuple[Ceiling, ...]:
    return ceilings(Dials(), ROWS)


def by_name(found: tuple[Ceiling, ...]) -> dict[tuple[str, bool], Ceiling]:
    return {(one.inputs, one.knows_device): one for one in found}


@pytest.mark.parametrize("knows_device", [True, False])
@pytest.mark.parametrize("dials", [Dials(), Dials(habit=0.4, hard=1.4, families=0.3, drift=0.3)])
def test_the_posterior_is_right_as_often_as_it_says(dials: Dials, knows_device: bool) -> None:
    world = World(dials)
    drawn = list(islice(happenings(world, Draws(11, "another stream")), 12_000))
    true = np.array([row.cause for row in drawn])
    chances = posterior(world, drawn, knows_device=knows_device)
    hits = chances.argmax(axis=1) == true
    best = chances.max(axis=1)
    # Tickets of a family are not independent: allow three standard errors of half as many.
    assert abs(hits.mean() - best.mean()) < 3 * np.sqrt((best * (1 - best)).mean() / 6000)
    for low in (0.3, 0.5, 0.7, 0.9):
        inside = (best >= low) & (best < low + 0.1)
        expected = best[inside].mean()
        error = np.sqrt(expected * (1 - expected) / (inside.sum() / 2))
        assert abs(hits[inside].mean() - expected) < 3.5 * error
    counts = np.bincount(true, minlength=10) / len(true)
    assert np.all(np.abs(chances.mean(axis=0) - counts) < 4 * np.sqrt(counts / 6000))


def test_knowing_more_never_lowers_the_ceiling_and_noise_is_taken_off() -> None:
    known = by_name(usual())
    for one in usual():
        assert one.recorded < one.true < 1
        assert one.at_most == (one.inputs == "words")
        assert ("at most" in one.label) == one.at_most
        assert 0 < one.standard_error < 0.01
    assert known["alarms", True].true > known["alarms", False].true + 0.15
    assert known["words", True].true > known["words", False].true > known["alarms", True].true
    clean = by_name(ceilings(Dials(label_noise=0.0), ROWS))
    for key, one in clean.items():
        assert one.recorded == pytest.approx(one.true)
        assert one.true == pytest.approx(known[key].true)


@pytest.mark.parametrize(
    ("change", "direction"),
    [
        ({"hard": 0.0}, 1),
        ({"hard": 1.4}, -1),
        ({"label_noise": 0.2}, -1),
        ({"families": 0.5}, 0),
        ({"drift": 0.0}, 0),
        ({"devices": 100}, 0),
        ({"seed": 8}, 0),
    ],
)
def test_a_dial_moves_the_ceiling(change: dict[str, float], direction: int) -> None:
    before = by_name(usual())["alarms", True].recorded
    moved = by_name(ceilings(Dials(**change), ROWS))["alarms", True].recorded  # type: ignore[arg-type]
    if direction:
        assert (moved - before) * direction > 0
    else:
        assert moved != pytest.approx(before, abs=1e-5)


def test_without_habits_knowing_the_device_hardly_helps() -> None:
    for habit, least, most in ((0.9, 0.15, 0.3), (0.5, 0.04, 0.15), (0.0, 0.0, 0.04)):
        found = by_name(ceilings(Dials(habit=habit), ROWS))
        assert least < found["alarms", True].true - found["alarms", False].true < most


def test_the_card_holds_the_ceilings_of_twenty_thousand_drawn_tickets(desk: Desk) -> None:
    entry = ceiling(desk.card["ceilings"], words=False, knows_device=True)
    rough = by_name(usual())["alarms", True]
    assert abs(entry["true"] - rough.true) < 4 * rough.standard_error
    assert entry["standard_error"] < rough.standard_error / 2
    assert ceiling(desk.card["ceilings"], words=True, knows_device=False)["at_most"]
