"""The learner's own two figures beside a lab's question: what validation said, what use brought.

Their line stands there before the first run too, so that nothing jumps when they come.
"""

from html import escape

from course.lesson import LabLesson
from trainer.runs import Run, RunStatus, list_runs, runs_folder
from ui import number, state

_USE = ".unseen/"  # a prediction about tickets that no split has shown to the model


def text(lesson: LabLesson, run: Run | None) -> str:
    """Return the figures of this run, else of the learner's newest, as HTML."""
    outcome = next((part.outcome for part in lesson.predict.parts if _USE in part.outcome), None)
    if outcome is None:
        return ""
    found = run if run and run.status is RunStatus.FINISHED else _newest(lesson)
    metrics = found.metrics if found else {}
    said, kept = metrics.get(outcome.replace(_USE, ".val/")), metrics.get(outcome)
    mark, words = (
        "later",
        "Your own two figures will stand here: one from validation, one from unseen devices.",
    )
    if said is not None and kept is not None:
        whose = "This run" if found is run else "Your last run"
        first, second = number.figure(said), number.figure(kept)
        where = "rows put aside" if found and found.record.samples.get("own") else "unseen devices"
        mark, words = "now", f"{whose}: {first} in validation, {second} on {where} (M)."
    return f'<p class="{mark}">{escape(words)}</p>'


def _newest(lesson: LabLesson) -> Run | None:
    runs = list_runs(runs_folder(), lab=lesson.id, learner=state.read().learner)
    return next((run for run in runs if run.status is RunStatus.FINISHED), None)
