"""The route as the picture of Home: big, with the next open station lit."""

from dataclasses import replace

import streamlit as st

from trainer.runs import runs_folder
from ui import journey, route, state, tour


def show() -> None:
    """Draw the six stations; while a tour is open they show what it has found so far."""
    found = journey.stages(runs_folder(), state.read().learner)
    told = tour.figures(tour.opened())
    lit = [replace(s, product=told[s.stage], origin="") if s.stage in told else s for s in found]
    route.show(lit, journey.next_stage(found))
    st.page_link(
        state.page_path("way"),
        label="The whole way on one page",
        icon=":material/conversion_path:",
        query_params=state.learner_query(),
    )
