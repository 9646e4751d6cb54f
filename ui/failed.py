"""The rail of a failed run: what happened, what to do, what was kept."""

import streamlit as st

from trainer.runs import Run
from ui import number, state, words


def show(run: Run) -> None:
    """Draw the three sentences and the end of the worker's log."""
    st.markdown("### What happened", anchors=False)
    st.markdown(run.error or "The worker ended without a word.")
    if not state.is_own(run):
        st.markdown(f"Only {run.config.learner} can resume it. Nothing that it measured is lost.")
    elif run.has_checkpoint:
        st.markdown(
            "**What to do.** Press Resume: it goes on from the last checkpoint. "
            f"**What was kept.** Everything up to step {number.figure(words.saved_step(run))}; "
            "later steps are computed again."
        )
    else:
        st.markdown(
            "**What to do.** Press Resume: it starts over in the same run, because no checkpoint "
            "was written yet. **What was kept.** The settings and your prediction."
        )
    if run.log_tail.strip():
        with st.expander("Show the log", icon=":material/description:"):
            st.code(run.log_tail[-3000:], language=None)
