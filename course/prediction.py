"""Judges what a learner said against what the run measured, and how well certainty was placed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course.lesson import AnyPart, ChoicePredict, NumberPredict, RankPredict

CONFIDENCES = ("guessing", "fairly", "certain")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of one prediction.

    `right` is None without a prediction or a measurement; `gap` is what was said minus what was
    measured, in the scale of the prediction's `Gap`, and None where there is no distance.
    """

    right: bool | None
    gap: float | None
    sentence: str
    confidence: str | None = None


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How often the learner was right at one confidence; `share` is None before the first time."""

    confidence: str
    said: int
    right: int
    share: float | None


def find_outcome(
    name: str, metrics: Mapping[str, Any], findings: Mapping[str, Any], samples: Mapping[str, Any]
) -> Any:
    """What a run measured under a name: a metric where it holds a slash, else finding or sample.

    None where the run has not measured it.
    """
    if "/" in name:
        return metrics.get(name)
    return findings.get(name, samples.get(name))


def judge(part: AnyPart, prediction: Any, confidence: str | None, outcome: Any) -> Verdict:
    """The verdict on one part of a prediction.

    Args:
        part: what was asked.
        prediction: a number, a choice's id or a list of ids; None is "no idea".
        confidence: one of `CONFIDENCES`, None with "no idea".
        outcome: what was measured: a number, an id, a list of tied ids, a list in order for a
            rank; None where the run did not measure it.
    """
    if outcome is None or outcome == []:
        return _verdict(None, None, "This run did not measure it, so nothing is scored.", None)
    if isinstance(part, NumberPredict) and not math.isfinite(float(outcome)):
        return _verdict(None, None, "The run broke down before it could be measured.", None)
    if prediction is None:
        return _verdict(None, None, f"No guess was made. It was {_said(part, outcome)}.", None)
    if isinstance(part, NumberPredict):
        return _judge_number(part, float(prediction), confidence, float(outcome))
    if isinstance(part, ChoicePredict):
        return _judge_choice(part, str(prediction), confidence, outcome)
    return _judge_rank(part, list(prediction), confidence, list(outcome))


def calibration(verdicts: Iterable[Verdict]) -> list[Calibration]:
    """One row a confidence, least certain first; verdicts without a score are left out."""
    scored = [verdict for verdict in verdicts if verdict.right is not None]
    return [_row(name, [v for v in scored if v.confidence == name]) for name in CONFIDENCES]


def _row(confidence: str, verdicts: Sequence[Verdict]) -> Calibration:
    right = sum(bool(verdict.right) for verdict in verdicts)
    share = right / len(verdicts) if verdicts else None
    return Calibration(confidence=confidence, said=len(verdicts), right=right, share=share)


def _judge_number(
    part: NumberPredict, said: float, confidence: str | None, measured: float
) -> Verdict:
    gap = (said - measured) * part.gap.scale
    # One part in a million forgives 0.55 - 0.50 being a hair more than 0.05.
    right = abs(said - measured) <= part.tolerance * (1 + 1e-6)
    start = f"You said {_said(part, said)}; it was {_said(part, measured)}."
    return _verdict(right, gap, f"{start} {_distance(part, gap)}", confidence)


def _distance(part: NumberPredict, gap: float) -> str:
    size = round(abs(gap), 1 if part.step * part.gap.scale < 1 else 0)
    if size == 0:
        return "Exactly there."
    unit = part.gap.one if size == 1 else part.gap.many
    return f"{size:g} {unit} {part.gap.above if gap > 0 else part.gap.below}."


def _judge_choice(
    part: ChoicePredict, said: str, confidence: str | None, outcome: str | Sequence[str]
) -> Verdict:
    best = [outcome] if isinstance(outcome, str) else list(outcome)
    was = _said(part, outcome)
    sentence = f"You said {part.label(said)}; it was {was}."
    if len(best) > 1:
        sentence = f"You said {part.label(said)}. {_capital(was)} tie: their bands overlap."
    return _verdict(said in best, None, sentence, confidence)


def _judge_rank(
    part: RankPredict, said: list[str], confidence: str | None, measured: list[str]
) -> Verdict:
    sentence = f"You said {_said(part, said)}; it was {_said(part, measured)}."
    hits = sum(mine == true for mine, true in zip(said, measured, strict=False))
    sentence += f" {hits} of {len(measured)} in their place."
    return _verdict(said == measured, None, sentence, confidence)


def _said(part: AnyPart, value: Any) -> str:
    """A value in the words of the question, as exact as its scale."""
    if isinstance(part, NumberPredict):
        return f"{value:.{_decimals(part.step)}f}"
    ids = [value] if isinstance(value, str) else list(value)
    labels = [part.label(each) for each in ids]
    if isinstance(part, RankPredict):
        return ", ".join(labels)
    return " and ".join([", ".join(labels[:-1]), labels[-1]]) if len(labels) > 1 else labels[0]


def _decimals(step: float) -> int:
    text = f"{step:.6f}".rstrip("0")
    return len(text.partition(".")[2])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _verdict(
    right: bool | None, gap: float | None, sentence: str, confidence: str | None
) -> Verdict:
    return Verdict(right=right, gap=gap, sentence=sentence, confidence=confidence)
