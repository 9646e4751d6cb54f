"""Only a run's own learner steers it or writes on it: asked at the action, not only on the page."""

from collections.abc import Callable

import streamlit as st

from trainer.errors import StagecoachError
from trainer.runs import Run
from ui import state


def ask(run: Run, what: Callable[[], object]) -> None:
    """Do what was asked if the run is the visitor's own; else, or too late, say so in a line."""
    try:
        if not state.is_own(run):
            st.toast(f"{watching(run)} Nothing was changed.")
            return
        what()
    except StagecoachError as too_late:
        st.toast(str(too_late))
    except OSError:
        st.toast("This run is not here any more.")


def watching(run: Run) -> str:
    """Return whose run it is, for somebody else."""
    return f"You are watching {run.config.learner}'s run."
