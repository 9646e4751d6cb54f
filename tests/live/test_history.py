import math

from tests.live.writer import Writer
from trainer.history import NEWCOMER_POINTS, History, thin


def line(writer: Writer, kind: str, step: int = 0, **values: object) -> bytes:
    return writer.event(kind, step, **values)


def test_thinning_keeps_first_last_lowest_and_highest() -> None:
    points = [(step, math.sin(step / 50), step * 0.1) for step in range(10_000)]
    points[3_333] = (3_333, -9.0, 333.3)
    points[7_777] = (7_777, 9.0, 777.7)
    kept = thin(points, 200)
    assert len(kept) <= 202
    assert kept == sorted(kept)
    assert {points[0], points[3_333], points[7_777], points[-1]} <= set(kept)


def test_thinning_keeps_the_first_value_that_is_no_number() -> None:
    points = [(step, math.nan if step >= 4_321 else 1.0 / (step + 1), 0.0) for step in range(9_000)]
    kept = thin(points, 100)
    lost = [step for step, value, _ in kept if math.isnan(value)]
    assert lost[0] == 4_321
    assert (4_320, 1.0 / 4_321, 0.0) in kept or min(v for _, v, _ in kept) == 1.0 / 4_321


def test_few_points_are_left_alone() -> None:
    points = [(step, float(step), 0.0) for step in range(100)]
    assert thin(points, 100) == points


def test_memory_stays_bounded_and_the_best_step_stays_in_it(writer: Writer) -> None:
    history = History()
    for block in range(100):
        steps = range(1 + 1_000 * block, 1 + 1_000 * (block + 1))
        best = {12_345: -1.0}
        lines = [line(writer, "metrics", s, **{"val/loss": best.get(s, 1 + s % 7)}) for s in steps]
        history.take(b"".join(lines))
    assert len(history.lines["val/loss"]) <= 5_000
    sent = history.series()["val/loss"]
    assert len(sent) <= NEWCOMER_POINTS + 2
    assert min(sent, key=lambda point: point[1])[:2] == [12_345, -1.0]
    assert sent[-1][0] == 100_000


def test_a_line_that_is_no_event_is_counted_and_costs_no_other(writer: Writer) -> None:
    history = History()
    good = line(writer, "metrics", 1, **{"train/loss": 0.5})
    later = line(writer, "metrics", 2, **{"train/loss": 0.4})
    history.take(good + b'{"kind": "metrics", "st\n' + b"[1, 2]\n" + b"\xff\xfe\n" + later)
    assert history.malformed == 3
    assert [step for step, _, _ in history.lines["train/loss"]] == [1, 2]


def test_a_resume_takes_back_points_samples_and_finding_of_later_steps(writer: Writer) -> None:
    history = History()
    history.take(line(writer, "sample", 10, name="matrix", value=[1]))
    history.take(
        b"".join(line(writer, "metrics", s, **{"train/loss": 1 / s}) for s in range(1, 31))
    )
    history.take(line(writer, "sample", 25, name="late", value=[2]))
    history.take(line(writer, "finding", 30, name="gap", value=0.2, text="so"))
    fresh = history.take(line(writer, "resumed", 20, from_step=20))
    assert fresh.is_rewound
    assert [step for step, _, _ in history.lines["train/loss"]] == list(range(1, 21))
    assert set(history.samples) == {"matrix"}
    assert history.finding is None
    assert history.word == "starting"


def test_words_follow_the_life_of_a_run(writer: Writer) -> None:
    history, words = History(), []
    for event in (
        line(writer, "queued", reason="submitted"),
        line(writer, "started", pid=1, device="cpu"),
        line(writer, "metrics", 1, **{"train/loss": 0.5}),
        line(writer, "sample", 1, name="paused", value=True),
        line(writer, "sample", 1, name="paused", value=False),
        line(writer, "ended", 1, status="KILLED", reason="time limit"),
        line(writer, "queued", reason="resumed"),
    ):
        history.take(event)
        words.append(history.word)
    assert words == ["queued", "starting", "running", "paused", "running", "stopped", "queued"]
