"""What is said of a run under load: where the knee lies, and how the question came out."""

from typing import Any

from trainer.serve.verdict import Verdict

TALLY = {"sent": 1200, "answered": 1200, "shed": 0, "failed": 0}


def load(per_s: float, p95: float, *, late: bool = False) -> dict[str, Any]:
    values = {"per_s": per_s, "p50_ms": 2.0, "p95_ms": p95, "p99_ms": 2 * p95, "mean_rows": 1.5}
    return values | {"is_late": late}


def verdict(*points: dict[str, Any], origin: str = "champion") -> Verdict:
    loads = [load(400, 2.5), load(1000, 20), *points]
    return Verdict(loads=loads, tally=TALLY, origin=origin, versions=(3, 4))


def test_the_knee_is_told_with_its_share_of_the_capacity_and_what_the_swap_did() -> None:
    value, text = verdict(load(100, 5), load(500, 10), load(900, 30)).finding()
    assert value == 600
    assert text == (
        "Beyond 600 answers a second, 60% of the capacity, p95 was more than 3 times the 5.0 ms of "
        "the lightest load. While version 4 was trained and took over from version 3, 1,200 "
        "requests were sent and 1,200 were answered."
    )


def test_a_late_point_moves_no_knee_and_answers_no_question() -> None:
    told = verdict(load(100, 90, late=True), load(500, 10), load(900, 12, late=True), load(950, 31))
    value, text = told.finding()
    assert 500 < value < 950
    assert "the 10.0 ms of the lightest load" in text
    assert "p99_times" not in told.samples()


def test_without_a_knee_or_a_sound_point_it_says_so() -> None:
    value, text = verdict(load(100, 5), load(900, 14), origin="first").finding()
    assert value == 900
    assert text.startswith("Up to 900 answers a second p95 never passed 3 times the 5.0 ms")
    assert text.endswith("this run trained and served a first version of its own.")
    _, text = verdict(load(100, 5, late=True)).finding()
    assert text.startswith("The load generator was late at every load")


def test_the_question_compares_with_a_lone_callers_median() -> None:
    for p95, name in ((2.5, "two"), (5, "five"), (12, "ten"), (16, "more")):
        told = verdict(load(100, 5), load(900, p95), load(1000, 99)).samples()
        assert told == {"mean_rows": 1.5, "p99_times": name}
