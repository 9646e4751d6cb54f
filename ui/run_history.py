"""Fetches the history for the Runs page, and says in what state it is."""

import contextlib

import streamlit as st

from trainer import tracking
from trainer.errors import UnknownRun
from trainer.runs import RunStatus, find, runs_folder
from trainer.tracking import Row
from ui import state

_MOVING = (RunStatus.SCHEDULED, RunStatus.RUNNING)


def show() -> list[Row]:
    """Draw what must be said before the rows; return the rows, newest first."""
    found = tracking.history(runs_folder())
    if found.is_loading:
        _loading()
    elif found.sentence:
        st.warning(found.sentence, icon=":material/database_off:")
    if not found.rows:
        _empty()
    moving = [(row.id, row.status, row.is_paused) for row in found.rows if row.status in _MOVING]
    if moving:
        _follow(moving)
    return found.rows


@st.fragment(run_every=1.0)
def _loading() -> None:
    if tracking.is_loaded():
        st.rerun()
    st.markdown(
        "The history is loading. Until then the run folders speak for themselves.", width=720
    )


@st.fragment(run_every=2.0)
def _follow(moving: list[tuple[str, RunStatus, bool]]) -> None:
    """Draw the page again once a run on it has moved on."""
    for run_id, status, is_paused in moving:
        with contextlib.suppress(UnknownRun):  # it stands in MLflow alone
            run = find(runs_folder(), run_id)
            if (run.status, run.is_paused) != (status, is_paused):
                st.rerun()


def _empty() -> None:
    st.markdown(
        "**No runs yet.** Here every run will stand: what you said, what it was, and its curves, "
        "to lay one over the other. Your first takes about half a minute.",
        width=720,
    )
    st.page_link(
        state.page_path("training"),
        label="Open the stage Training",
        icon=":material/arrow_forward:",
        icon_position="right",
        query_params=state.learner_query(),
    )
