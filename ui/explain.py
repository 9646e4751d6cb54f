"""After the run: one choice of an explanation, then the reason for it; kept with the run."""

import streamlit as st

from course.lesson import LabLesson
from trainer.runs import Run
from ui import own


def show(lesson: LabLesson, run: Run) -> None:
    """Draw the question; once answered, why the choice holds or does not."""
    st.markdown("### Explain", anchors=False)
    ids = [answer.id for answer in lesson.explain.answers]
    texts = {answer.id: answer.text for answer in lesson.explain.answers}
    before = run.notes.get("explanation")
    picked = st.radio(
        lesson.explain.question,
        ids,
        index=ids.index(before) if before in ids else None,
        format_func=texts.__getitem__,
        key=f"explain-{run.id}",
        on_change=_keep,
        args=(run,),
    )
    if picked is None:
        return
    answer = lesson.explain.answers[ids.index(picked)]
    icon, word = (":green[:material/check:]", "Yes.") if answer.right else ("", "No.")
    st.markdown(f"{icon} **{word}** {answer.why}")


def _keep(run: Run) -> None:
    picked = st.session_state.get(f"explain-{run.id}")
    own.ask(run, lambda: run.note(explanation=picked))


def is_answered(run: Run) -> bool:
    """Return whether the learner has chosen an explanation."""
    return bool(run.notes.get("explanation"))
