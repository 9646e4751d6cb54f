"""The band over several runs: what it holds, what it leaves out, and how it stays small."""

import math
import random

from trainer.bands import MOST_STEPS, band


def runs(count: int, steps: int) -> list[list[tuple[int, float]]]:
    draws = random.Random(4)
    return [[(10 * k, draws.uniform(1, 2)) for k in range(1, steps + 1)] for _ in range(count)]


def test_every_value_of_every_run_lies_in_the_band_and_each_edge_is_touched() -> None:
    given = runs(5, 40)
    found = band(given)
    assert found is not None
    assert found["steps"] == [step for step, _ in given[0]]
    for place, step in enumerate(found["steps"]):
        values = sorted(dict(run)[step] for run in given)
        told = [found[part][place] for part in ("low", "mid", "high")]
        assert told == [float(f"{value:.4g}") for value in (values[0], values[2], values[-1])]


def test_a_long_line_is_thinned_and_nothing_sticks_out_of_it() -> None:
    given = runs(4, 2500)
    found = band(given)
    assert found is not None
    assert MOST_STEPS / 2 < len(found["steps"]) <= MOST_STEPS
    every = [value for run in given for _, value in run]
    assert min(found["low"]) <= min(every) + 1e-3
    assert max(found["high"]) >= max(every) - 1e-3
    bounds = zip(found["low"], found["mid"], found["high"], strict=True)
    assert all(low <= mid <= high for low, mid, high in bounds)


def test_a_step_that_one_run_lacks_or_lost_is_left_out() -> None:
    given = [[(1, 1.0), (2, 2.0), (3, 3.0)], [(1, 1.5), (3, math.nan)]]
    assert band(given) == {"steps": [1], "low": [1.0], "mid": [1.25], "high": [1.5]}


def test_runs_with_no_step_in_common_have_no_band() -> None:
    assert band([[(1, 1.0)], [(2, 1.0)]]) is None
    assert band([[], []]) is None
    assert band([]) is None
