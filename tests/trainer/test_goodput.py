"""Goodput: the formula and the replay agree, and both lose on either side of the best interval."""

from math import sqrt

import numpy as np
import pytest

from trainer import goodput
from trainer.goodput import Costs

USUAL = Costs(step_s=0.004, save_s=0.05, restart_s=2.0, mtbf_s=600.0)
# Save, restart and mean time to failure of a large training, and what was published for them.
LARGE = Costs(step_s=4.0, save_s=60.0, restart_s=300.0, mtbf_s=3.09 * 3600)


def test_youngs_interval_is_the_root_of_twice_save_times_failures() -> None:
    assert goodput.young(USUAL) == pytest.approx(sqrt(2 * 0.05 * 600))
    assert goodput.young(LARGE) == pytest.approx(1156, abs=2)


def test_the_formula_gives_what_was_worked_out_for_a_large_training() -> None:
    best = goodput.young(LARGE)
    shares = [goodput.expected(LARGE, best * factor) for factor in (0.25, 0.5, 1, 2, 4)]
    assert shares == pytest.approx([0.794, 0.858, 0.878, 0.856, 0.779], abs=0.01)


@pytest.mark.parametrize("factor", [0.1, 0.5, 1.0, 2.0, 10.0])
def test_the_replay_of_many_failures_comes_to_the_formula(factor: float) -> None:
    interval = factor * goodput.young(USUAL)
    gaps = np.random.default_rng(1).exponential(USUAL.mtbf_s, 100_000)
    assert goodput.replay(USUAL, interval, gaps) == pytest.approx(
        goodput.expected(USUAL, interval), abs=0.005
    )


def test_one_failure_is_replayed_by_hand() -> None:
    costs = Costs(step_s=1.0, save_s=1.0, restart_s=5.0, mtbf_s=100.0)
    # 35 s: three times 9 s of work and a save, then 5 s that are lost; and 5 s to start again.
    assert goodput.replay(costs, 9.0, np.array([35.0])) == pytest.approx(27 / 40)
    assert goodput.replay(costs, 40.0, np.array([35.0])) == 0.0


def test_the_same_seed_draws_the_same_failures_and_another_seed_others() -> None:
    first, again, other = (goodput.draw(600.0, seed) for seed in (1, 1, 2))
    assert len(first) == goodput.FAILURES
    assert (first == again).all()
    assert (first != other).any()


def test_the_picture_holds_both_optima_and_falls_on_both_sides() -> None:
    found = goodput.picture(USUAL, 0.4, seed=1337)
    best, young = found["best"], found["young"]
    assert best[1] == max(share for _, share in found["points"])
    assert abs(best[1] - young[1]) < 0.01
    assert young[0] / 3 < best[0] < 3 * young[0]
    for end in (found["line"][0], found["line"][-1]):
        assert end[1] < young[1] - 0.05
    assert found["own"] == [0.4, goodput.expected(USUAL, 0.4)]


def test_very_long_intervals_keep_nothing_and_break_nothing() -> None:
    assert 0 <= goodput.expected(USUAL, 1e7) < 1e-9


def test_the_nearest_choice_is_nearest_by_factor() -> None:
    choices = {"one": 1.0, "hundred": 100.0}
    assert goodput.nearest(9.0, choices) == "one"
    assert goodput.nearest(11.0, choices) == "hundred"
