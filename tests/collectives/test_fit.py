"""The line through measured points finds the line that made them, and says how far it misses."""

import numpy as np
import pytest

from trainer.fit import straight


def test_points_of_a_line_give_it_back_without_error() -> None:
    line = straight([(x, 0.5 + 0.25 * x) for x in (1, 2, 4, 1000)])
    assert line is not None
    assert line.start == pytest.approx(0.5)
    assert line.slope == pytest.approx(0.25)
    assert line.error == pytest.approx(0.0, abs=1e-9)


def test_it_is_the_weighted_least_squares_of_numpy() -> None:
    draw = np.random.default_rng(1)
    xs = np.repeat(2.0 ** np.arange(12, 22), 3)
    ys = (1e-4 + 2e-9 * xs) * draw.uniform(0.7, 1.5, len(xs))
    slope, start = np.polyfit(xs, ys, 1, w=1 / ys)
    line = straight(list(zip(xs.tolist(), ys.tolist(), strict=True)))
    assert line is not None
    assert line.start == pytest.approx(start)
    assert line.slope == pytest.approx(slope)
    misses = (start + slope * xs - ys) / ys
    assert line.error == pytest.approx(float(np.sqrt(np.mean(misses**2))))


@pytest.mark.parametrize("points", [[], [(4.0, 1.0), (4.0, 2.0)], [(1.0, 0.0), (2.0, 1.0)]])
def test_there_is_no_line_where_none_is_determined(points: list[tuple[float, float]]) -> None:
    assert straight(points) is None
