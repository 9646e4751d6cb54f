"""What of a stage the exam asks for: its objectives, and the way to all of them."""

import streamlit as st

from course.load import load
from course.model import Stage
from ui import state


def show(stage: Stage) -> None:
    """Draw the stage's objectives as a list, then a link to the list of all."""
    st.markdown("## In the exam", anchors=False)
    objectives = (load().objectives[each] for each in stage.objectives)
    lines = [f"- **{objective.id}** {objective.title}" for objective in objectives]
    st.markdown("\n".join(lines), width=720)
    st.page_link(
        state.page_path("way"),
        label="All objectives, and where each is taught",
        query_params={"order": "By exam objective"} | state.learner_query(),
    )
