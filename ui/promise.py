"""The promise of Home: one sentence, what happens here, and the two ways to begin."""

import streamlit as st

from course.load import load
from ui import state, tour


def show() -> None:
    """Draw the promise, the one filled button of Home, and the link to the first stage."""
    st.title("Follow one AI job, from a trouble ticket to an answer", anchor=False)
    st.markdown(
        "Two years of network tickets become a model that names the fault. You train it here, for "
        "real, on this machine. **Say what you expect first. Then watch.**",
        width=560,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        tour.button()
        first = next(iter(load().stages))
        st.page_link(
            state.page_path(first),
            label="Start with stage 1",
            icon=":material/arrow_forward:",
            query_params=state.learner_query(),
        )
