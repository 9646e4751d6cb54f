"""The queue's own clock: exact on given times, and what it says about batches and delay."""

from itertools import pairwise
from statistics import fmean

import pytest

from trainer.serve import formula
from trainer.serve.formula import Batching, Passed, Service

SERVICE = Service(start_ms=8.0, row_ms=0.5)


def clock(per_s: float, delay_ms: float, limit: int = 32, seconds: float = 60.0) -> list[Passed]:
    times = formula.poisson(per_s, seconds, seed=3)
    return formula.simulate(times, SERVICE.seconds, Batching(limit=limit, delay=delay_ms / 1000))


def mean_ms(passed: list[Passed]) -> float:
    return 1000 * fmean(one.latency for one in passed)


def batch(passed: list[Passed]) -> float:
    return fmean(one.rows for one in passed)


def test_the_fit_finds_the_line_that_the_points_lie_on() -> None:
    found = formula.fit([(n, SERVICE.ms(n)) for n in (1, 2, 4, 8, 16, 32)])
    assert found is not None
    assert found.start_ms == pytest.approx(8.0)
    assert found.row_ms == pytest.approx(0.5)
    assert found.error == pytest.approx(0.0, abs=1e-9)


def test_the_fit_says_how_far_the_points_lie_off() -> None:
    found = formula.fit([(n, SERVICE.ms(n) * (1.2 if n % 2 else 0.8)) for n in range(1, 30)])
    assert found is not None
    assert found.error == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize(
    "points", [[(1, 5.0), (32, 4.0)], [(1, 0.1), (2, 0.3), (32, 5.2)]], ids=["falls", "below zero"]
)
def test_a_fitted_batch_never_costs_less_than_nothing_nor_less_for_more(
    points: list[tuple[int, float]],
) -> None:
    found = formula.fit(points)
    assert found is not None
    assert found.ms(0) >= 0
    assert found.ms(2) > found.ms(1) > 0


def test_one_size_is_no_line() -> None:
    assert formula.fit([(8, 1.0), (8, 1.2)]) is None


def test_capacity_and_the_most_that_batching_brings() -> None:
    assert SERVICE.rows_per_s(1) == pytest.approx(1 / 0.0085)
    assert SERVICE.rows_per_s(32) == pytest.approx(32 / 0.024)
    assert SERVICE.gain == pytest.approx(17.0)
    assert SERVICE.rows_per_s(10_000) / SERVICE.rows_per_s(1) == pytest.approx(17.0, rel=0.01)


def test_given_arrivals_are_served_as_by_hand() -> None:
    """Two come while the first is computed and go together; the fourth finds all idle."""
    passed = formula.simulate([0.0, 0.001, 0.002, 0.1], SERVICE.seconds, Batching(limit=32))
    assert [one.rows for one in passed] == [1, 2, 2, 1]
    assert [one.queue for one in passed] == pytest.approx([0.0, 0.0075, 0.0065, 0.0])
    assert [one.compute for one in passed] == pytest.approx([0.0085, 0.009, 0.009, 0.0085])


def test_a_batch_goes_when_it_is_full_or_its_oldest_has_waited() -> None:
    two = Batching(limit=2, delay=0.05)
    passed = formula.simulate([0.0, 0.02, 0.2], SERVICE.seconds, two)
    assert [one.rows for one in passed] == [2, 2, 1]
    assert [one.queue for one in passed] == pytest.approx([0.02, 0.0, 0.05])


def test_the_web_reads_one_request_after_another() -> None:
    passed = formula.simulate([0.0, 0.0], lambda rows: 0.0, Batching(limit=8, web=0.003))
    assert [one.web for one in passed] == pytest.approx([0.003, 0.006])


def test_requests_of_several_rows_fill_a_batch_sooner() -> None:
    passed = formula.simulate([0.0] * 5, SERVICE.seconds, Batching(limit=9, rows=4))
    assert [one.rows for one in passed] == [8, 8, 8, 8, 4]


@pytest.mark.parametrize("delay_ms", [0, 2, 10])
@pytest.mark.parametrize("per_s", [50, 300, 900])
def test_nobody_is_lost_and_none_goes_before_its_time(per_s: float, delay_ms: float) -> None:
    passed = clock(per_s, delay_ms, seconds=10)
    assert len(passed) == len(formula.poisson(per_s, 10, seed=3))
    assert all(one.queue >= 0 and 1 <= one.rows <= 32 for one in passed)
    starts = [one.arrived + one.queue for one in passed]
    assert all(later > earlier - 1e-9 for earlier, later in pairwise(starts))
    for size in {one.rows for one in passed}:  # a batch of n stands there n times
        assert sum(one.rows == size for one in passed) % size == 0


def test_the_delay_does_not_make_the_batches() -> None:
    """Under load the queue fills while the server computes: waiting on purpose adds nothing."""
    sizes = [batch(clock(600, delay)) for delay in (0, 2, 5)]
    assert min(sizes) > 6
    assert max(sizes) < 1.05 * min(sizes)
    times = [mean_ms(clock(600, delay)) for delay in (0, 2, 5)]
    assert max(times) < 1.05 * min(times)


def test_with_few_callers_the_delay_is_pure_cost() -> None:
    without, with_delay = clock(10, 0), clock(10, 10)
    assert batch(with_delay) < 1.3, "nobody else came in that time"
    assert mean_ms(with_delay) > mean_ms(without) + 8


def test_a_busy_server_follows_the_closed_form() -> None:
    """While busy n = r S(n), so S = a / (1 - r b) and a request waits for half a batch."""
    passed = clock(600, 0)
    whole = 8 / (1 - 600 * 0.0005)
    assert mean_ms(passed) == pytest.approx(1.5 * whole, rel=0.1)


def test_little_holds_on_the_clock() -> None:
    passed = clock(300, 0)
    events = [(one.arrived, 1) for one in passed]
    events += [(one.arrived + one.latency, -1) for one in passed]
    events.sort()
    inside, area = 0, 0.0
    for (at, change), (after, _) in pairwise(events):
        inside += change
        area += inside * (after - at)
    span = events[-1][0] - events[0][0]
    mean = fmean(one.latency for one in passed)
    assert area / span == pytest.approx(formula.little(len(passed) / span, mean), rel=1e-6)


def test_beyond_capacity_the_queue_only_grows() -> None:
    passed = clock(1.2 * SERVICE.rows_per_s(32), 0, seconds=10)
    thirds = [passed[i * len(passed) // 3 : (i + 1) * len(passed) // 3] for i in range(3)]
    means = [mean_ms(third) for third in thirds]
    assert means[0] < means[1] < means[2]


def test_the_mean_looks_fine_while_the_tail_grows() -> None:
    """One row a batch at four fifths of capacity: the mean triples, the tail is nine times."""
    alone = SERVICE.seconds(1)
    near = [one.latency for one in clock(0.8 / alone, 0, limit=1)]
    assert fmean(near) < 3.5 * alone
    assert formula.percentile(near, 0.99) > 9 * alone


def test_arrivals_follow_from_the_seed_and_come_at_their_rate() -> None:
    times = formula.poisson(200, 50, seed=1)
    assert times == formula.poisson(200, 50, seed=1)
    assert times != formula.poisson(200, 50, seed=2)
    assert len(times) == pytest.approx(200 * 50, rel=0.03)
    assert all(0 <= at < 50 for at in times)
    assert times == sorted(times)


def test_a_percentile_is_a_value_that_was_seen() -> None:
    values = [float(n) for n in range(1, 101)]
    assert [formula.percentile(values, share) for share in (0.0, 0.5, 0.99, 1.0)] == [
        1,
        50,
        99,
        100,
    ]
    assert formula.percentile([7.0], 0.99) == 7.0


def test_the_knee_lies_between_the_points_around_it() -> None:
    points = [(100.0, 10.0), (200.0, 12.0), (300.0, 52.0), (400.0, 900.0)]
    assert formula.knee(points, 3) == pytest.approx(200 + 100 * 18 / 40)
    assert formula.knee(points[:2], 3) is None
    assert formula.knee([], 3) is None
