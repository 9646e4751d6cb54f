"""What of a stage the exam asks for: its objectives with the ways to their guides."""

import streamlit as st

from course.load import load
from course.model import Stage
from ui import objectives, same_page, state


def show(stage: Stage) -> None:
    """Draw a link to the guide of each objective, then one to the list of all."""
    st.markdown("## In the exam", anchors=False)
    same_page.look("objectives")
    with st.container(gap="xxsmall"):
        for each in stage.objectives:
            objectives.link(load().objectives[each])
    st.page_link(
        state.page_path("way"),
        label="All objectives, and where each is taught",
        query_params={"order": "By exam objective"} | state.learner_query(),
    )
