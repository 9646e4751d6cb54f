"""The learner's last runs as a card of Home."""

import streamlit as st

from course.load import load
from trainer.runs import Run, list_runs, runs_folder
from ui import lab_states, number, state

_SHOWN = 3


def show() -> None:
    """Draw the newest runs with what they found."""
    runs = list_runs(runs_folder(), learner=state.read().learner, limit=_SHOWN)
    with st.container(border=True, height="stretch"):
        st.markdown("### Last runs", anchors=False)
        st.markdown("  \n".join(_line(run) for run in runs))
        _link(runs[0])


def _line(run: Run) -> str:
    lesson = load().labs.get(run.config.lab)
    title = lesson.title if lesson else run.config.lab
    finding = run.finding
    if finding is None:
        return f"{title}: {lab_states.WORDS[lab_states.of_run(run)].lower()}"
    return f"{title}: {finding.name.replace('_', ' ')} {number.text(finding.value, '', 'M')}"


def _link(run: Run) -> None:
    lesson = load().labs.get(run.config.lab)
    if lesson is None:
        return
    st.page_link(
        state.page_path(lesson.stage),
        label="Open the newest",
        icon=":material/arrow_forward:",
        icon_position="right",
        query_params={"lab": lesson.id, "run": run.id} | state.learner_query(),
    )
