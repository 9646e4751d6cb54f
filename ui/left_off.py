"""Where a learner left off: what to go on with, and the last runs; left out on a first visit."""

import streamlit as st

from trainer.runs import list_runs, runs_folder
from ui import go_on, last_runs, state


def show() -> None:
    """Draw the heading and the two cards."""
    if not list_runs(runs_folder(), learner=state.read().learner, limit=1):
        return
    st.markdown("## Where you left off", anchors=False)
    first, second = st.columns(2, gap="medium")
    with first:
        go_on.show()
    with second:
        last_runs.show()
