"""What a run measured of what its learner had said."""

from typing import Any

from course import prediction
from course.lesson import AnyPart, LabLesson
from course.prediction import Verdict
from trainer.runs import Run, RunStatus, list_runs, runs_folder


def of(run: Run, name: str) -> Any:
    """Return what the run measured under a name: a metric's, a finding's or a sample's, or None."""
    finding = run.finding
    findings = {finding.name: finding.value} if finding else {}
    return prediction.find_outcome(name, run.metrics, findings, run.record.samples)


def origin(run: Run, name: str) -> str:
    """Return the letter of where an outcome comes from; metrics and findings are measured."""
    return run.record.origins.get(name, "M")


def verdicts(lesson: LabLesson, run: Run) -> list[tuple[AnyPart, Verdict]]:
    """Return the judgement on each part of the prediction."""
    config = run.config
    said = lesson.predict.unpack(config.prediction)
    return [(part, _judge(part, said[part.id], run)) for part in lesson.predict.parts]


def past(lesson: LabLesson, learner: str) -> list[Verdict]:
    """Return the judgements on all finished runs of a learner in this lab."""
    runs = list_runs(runs_folder(), lab=lesson.id, learner=learner)
    finished = [run for run in runs if run.status is RunStatus.FINISHED]
    return [verdict for run in finished for _, verdict in verdicts(lesson, run)]


def _judge(part: AnyPart, said: Any, run: Run) -> Verdict:
    measured = of(run, part.outcome)
    try:
        return prediction.judge(part, said, run.config.confidence, measured)
    except (TypeError, ValueError):  # a prediction written by hand
        return prediction.judge(part, None, None, measured)
