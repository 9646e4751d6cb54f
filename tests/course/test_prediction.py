"""What was said against what was measured, and how well certainty was placed."""

import pytest

from course.lesson import Choice, ChoicePredict, Gap, NumberPredict, RankPredict
from course.load import load
from course.prediction import CONFIDENCES, Verdict, calibration, find_outcome, judge

TURN, BRAKE = load().labs["four_brakes"].predict.parts
(UNSEEN,) = load().labs["split_trap"].predict.parts
RANK = RankPredict(
    id="dirt",
    question="Which costs most?",
    outcome="order",
    kind="rank",
    choices=(Choice(id="a", label="gaps"), Choice(id="b", label="noise")),
)


def test_a_share_is_judged_in_points() -> None:
    verdict = judge(UNSEEN, 0.60, "fairly", 0.52)
    assert verdict.sentence == "You said 0.60; it was 0.52. 8 points too high."
    assert verdict.right is False
    assert verdict.gap == pytest.approx(8)
    assert verdict.confidence == "fairly"


@pytest.mark.parametrize(
    ("said", "measured", "sentence", "right"),
    [
        (40, 22, "You said 40; it was 22. 18 epochs too late.", False),
        (21, 22, "You said 21; it was 22. 1 epoch too early.", True),
        (22, 22, "You said 22; it was 22. Exactly there.", True),
        (25, 22, "You said 25; it was 22. 3 epochs too late.", True),
        (26, 22, "You said 26; it was 22. 4 epochs too late.", False),
    ],
)
def test_a_place_is_judged_in_its_own_unit(
    said: float, measured: float, sentence: str, right: bool
) -> None:
    verdict = judge(TURN, said, "certain", measured)
    assert (verdict.sentence, verdict.right) == (sentence, right)


@pytest.mark.parametrize(("low", "high"), [(0.50, 0.55), (0.47, 0.52), (0.81, 0.86)])
def test_a_prediction_exactly_at_the_tolerance_is_right_both_ways(low: float, high: float) -> None:
    assert judge(UNSEEN, low, "fairly", high).right is True
    assert judge(UNSEEN, high, "fairly", low).right is True


def test_a_gap_too_small_to_be_said_is_exactly_there() -> None:
    assert judge(UNSEEN, 0.52, "fairly", 0.5231).sentence.endswith("Exactly there.")


def test_a_fine_scale_keeps_a_decimal_in_its_gap() -> None:
    gap = Gap(one="nat", many="nats", above="too high", below="too low")
    part = NumberPredict(
        id="x", question="?", outcome="x", kind="number", form="bar", low=0, high=3, step=0.1,
        default=1, tolerance=0.2, gap=gap,
    )  # fmt: skip
    assert judge(part, 1.0, "fairly", 1.5).sentence == "You said 1.0; it was 1.5. 0.5 nats too low."


def test_a_choice_is_right_when_it_is_the_one() -> None:
    verdict = judge(BRAKE, "dropout", "guessing", "weight_decay")
    assert verdict.right is False
    assert verdict.gap is None
    assert verdict.sentence == "You said dropout; it was weight decay."
    assert judge(BRAKE, "weight_decay", "guessing", "weight_decay").right is True


def test_each_of_the_tied_is_right_and_the_tie_is_said() -> None:
    verdict = judge(BRAKE, "dropout", "fairly", ["weight_decay", "dropout"])
    assert verdict.right is True
    assert verdict.sentence == (
        "You said dropout. Weight decay and dropout tie: their bands overlap."
    )
    three = ["weight_decay", "dropout", "augmentation"]
    assert (
        "Weight decay, dropout and augmentation tie"
        in judge(BRAKE, "dropout", None, three).sentence
    )
    assert judge(BRAKE, "early_stopping", "fairly", ["weight_decay", "dropout"]).right is False


def test_a_rank_is_right_only_as_a_whole() -> None:
    verdict = judge(RANK, ["a", "b"], "fairly", ["b", "a"])
    assert verdict.right is False
    assert verdict.sentence == "You said gaps, noise; it was noise, gaps. 0 of 2 in their place."
    assert judge(RANK, ["b", "a"], "fairly", ["b", "a"]).right is True


def test_no_idea_and_no_measurement_have_no_score() -> None:
    no_idea = judge(UNSEEN, None, None, 0.52)
    assert (no_idea.right, no_idea.gap) == (None, None)
    assert no_idea.sentence == "No guess was made. It was 0.52."
    unmeasured = judge(UNSEEN, 0.6, "certain", None)
    assert (unmeasured.right, unmeasured.confidence) == (None, None)
    assert "did not measure" in unmeasured.sentence


def test_a_run_in_which_no_brake_was_on_has_no_best_one() -> None:
    assert judge(BRAKE, "dropout", "fairly", []).right is None


@pytest.mark.parametrize("measured", [float("nan"), float("inf")])
def test_a_run_that_diverged_has_no_score(measured: float) -> None:
    assert judge(UNSEEN, 0.6, "certain", measured).right is None


def test_an_outcome_is_a_metric_a_finding_or_a_sample() -> None:
    found = {"gap": 0.24}
    assert find_outcome("row.unseen/accuracy", {"row.unseen/accuracy": 0.5}, found, {}) == 0.5
    assert find_outcome("gap", {"gap": 9}, found, {"gap": 8}) == 0.24
    assert find_outcome("turn_epoch", {}, found, {"turn_epoch": 22}) == 22
    assert find_outcome("row.unseen/accuracy", {}, found, {}) is None


def verdict(right: bool | None, confidence: str | None) -> Verdict:
    return Verdict(right=right, gap=None, sentence="", confidence=confidence)


def test_calibration_has_a_row_for_each_confidence_and_leaves_out_what_has_no_score() -> None:
    rows = calibration(
        [
            verdict(True, "certain"),
            verdict(False, "certain"),
            verdict(True, "certain"),
            verdict(False, "guessing"),
            verdict(None, "certain"),
            verdict(None, None),
        ]
    )
    assert [row.confidence for row in rows] == list(CONFIDENCES)
    assert [(row.said, row.right) for row in rows] == [(1, 0), (0, 0), (3, 2)]
    assert [row.share for row in rows] == [0.0, None, pytest.approx(2 / 3)]


def test_the_types_of_the_real_predictions_are_as_the_tests_think() -> None:
    assert isinstance(TURN, NumberPredict)
    assert isinstance(BRAKE, ChoicePredict)
