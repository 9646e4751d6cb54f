"""What of a run's events goes into MLflow: thinned, each step once, the same however it is cut."""

import math

from trainer.events import Event
from trainer.runs import RunStatus
from trainer.tracking import digest
from trainer.tracking.digest import Progress
from trainer.tracking.rows import Point


def losses(steps: range, *, every_s: float = 0.1, t: float = 1000.0) -> list[Event]:
    return [
        Event(kind="metrics", t=t + i * every_s, step=step, values={"train/loss": 1.0 / step})
        for i, step in enumerate(steps)
    ]


def steps(points: list[Point]) -> list[int]:
    return [point.step for point in points]


ENDED = Event(kind="ended", t=2000.0, values={"status": "FINISHED", "surprise": True})


def test_a_fast_run_is_thinned_to_about_fifty_points_a_second() -> None:
    events = losses(range(1, 10_001), every_s=0.0005)
    kept = digest.take(events, Progress()).points
    assert 250 <= len(kept) <= 252  # 10,000 steps in 5 s


def test_a_slow_run_keeps_every_point() -> None:
    events = losses(range(1, 101), every_s=0.03)
    assert steps(digest.take(events, Progress()).points) == list(range(1, 101))


def test_the_last_value_is_there_once_the_run_has_ended() -> None:
    events = [*losses(range(1, 1001), every_s=0.001), ENDED]
    assert digest.take(events, Progress()).points[-1].step == 1000


def test_where_a_batch_ends_changes_nothing() -> None:
    events = [*losses(range(1, 301), every_s=0.004), ENDED]
    whole = digest.take(events, Progress()).points
    for cut in (1, 7, 100, 299, 300):
        progress = Progress()
        first = digest.take(events[:cut], progress).points
        again = Progress.from_json(progress.to_json())
        assert first + digest.take(events[cut:], again).points == whole


def test_steps_computed_again_after_a_resume_stand_there_once() -> None:
    resumed = Event(kind="resumed", t=1500.0, values={"from_step": 80})
    again = losses(range(81, 151), t=1500.0)
    kept = digest.take([*losses(range(1, 101)), resumed, *again, ENDED], Progress()).points
    assert steps(kept) == list(range(1, 151))


def test_nan_is_kept_and_infinity_becomes_a_tag() -> None:
    values = (0.5, math.nan, math.inf)
    events = [
        Event(kind="metrics", t=1000.0 + step, step=step, values={"train/loss": value})
        for step, value in enumerate(values)
    ]
    batch = digest.take(events, Progress())
    assert steps(batch.points) == [0, 1]
    assert math.isnan(batch.points[1].value)
    assert batch.tags["stagecoach.infinite.train/loss"] == "inf at step 2"


def test_no_point_of_another_origin_enters_a_measured_series() -> None:
    simulated = [
        Event(
            kind="metrics",
            t=1001.0,
            step=2,
            values={"train/loss": 9.0, "sim/cost": 1.0},
            origin="S",
        )
    ]
    batch = digest.take([*losses(range(1, 2)), *simulated], Progress())
    assert [(point.name, point.value) for point in batch.points] == [
        ("train/loss", 1.0),
        ("sim/cost", 1.0),
    ]
    assert batch.tags["stagecoach.origins"] == '{"sim/cost": "S"}'


def test_status_follows_the_life_of_the_run() -> None:
    queued = Event(kind="queued", t=1.0, values={"reason": "submitted"})
    started = Event(kind="started", t=2.0, values={"device": "cpu"})
    progress = Progress()
    assert digest.take([queued], progress).status is RunStatus.SCHEDULED
    first = digest.take([started], progress)
    assert first.status is RunStatus.RUNNING
    assert first.has_started
    last = digest.take([ENDED], progress)
    assert (last.status, last.ended_at) == (RunStatus.FINISHED, 2000.0)
    assert last.tags["stagecoach.surprise"] == "true"
    resumed = digest.take([Event(kind="resumed", t=3.0, values={"from_step": 0})], progress)
    assert not resumed.has_started


def test_a_name_that_mlflow_would_refuse_is_made_fit() -> None:
    assert digest.metric_name("train/loss") == "train/loss"
    assert digest.metric_name("train/loss (x)") == "train/loss _x_"
    assert digest.metric_name("../../loss") == "loss"


def test_values_that_are_no_numbers_are_left_out() -> None:
    event = Event(kind="metrics", t=1.0, step=1, values={"train/loss": "high", "val/loss": 1})
    assert [point.name for point in digest.take([event], Progress()).points] == ["val/loss"]
