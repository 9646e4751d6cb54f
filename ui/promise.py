"""The promise of Home: one sentence, what happens here, and where to begin."""

import streamlit as st

from course.load import load
from ui import state
from ui.look import act


def show() -> None:
    """Draw the promise and the one button of Home."""
    st.title("Follow one AI job, from a trouble ticket to an answer", anchor=False)
    st.markdown(
        "Two years of network tickets become a model that names the fault. You train it here, for "
        "real, on this machine. **Say what you expect first. Then watch.**",
        width=560,
    )
    if st.button(act("Start with stage 1"), type="primary"):
        first = next(iter(load().stages))
        st.switch_page(state.page_path(first), query_params=state.learner_query())
