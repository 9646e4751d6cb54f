"""The learner's own two figures beside a lab's question: what validation said, what use brought."""

from html import escape

from course.lesson import LabLesson
from trainer.runs import Run, RunStatus, list_runs, runs_folder
from ui import number, state

_USE = ".unseen/"  # a prediction about tickets that no split has shown to the model


def text(lesson: LabLesson, run: Run | None) -> str:
    """Return the figures of this run, else of the learner's newest, as HTML; empty for none."""
    outcome = next((part.outcome for part in lesson.predict.parts if _USE in part.outcome), None)
    if outcome is None:
        return ""
    found = run if run is not None else _newest(lesson)
    metrics = found.metrics if found is not None and found.status is RunStatus.FINISHED else {}
    said, kept = metrics.get(outcome.replace(_USE, ".val/")), metrics.get(outcome)
    if said is None or kept is None:
        return ""
    words = (
        f"Yours: {number.figure(said)} in validation, {number.figure(kept)} on unseen devices (M)."
    )
    return f"<p>{escape(words)}</p>"


def _newest(lesson: LabLesson) -> Run | None:
    runs = list_runs(runs_folder(), lab=lesson.id, learner=state.read().learner)
    return next((run for run in runs if run.status is RunStatus.FINISHED), None)
