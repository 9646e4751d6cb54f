"""The page Runs: every run with what was said before it, and two of them laid over each other."""

import streamlit as st

from ui import (
    mlflow_link,
    origins,
    overlay,
    run_actions,
    run_filters,
    run_history,
    run_table,
    run_trash,
)

st.title("Runs", anchor=False)
st.markdown(
    "Your runs, with what you said before each. Choose *Everyone* to see those of all learners on "
    "this machine. Tick two to lay one over the other.",
    width=720,
)
rows = run_history.show()
ticked = run_table.show(run_filters.show(rows))
run_actions.show(ticked)
overlay.show(ticked)
if rows:
    st.space("medium")
    left, right = st.columns(2, gap="large")
    with left:
        mlflow_link.show(ticked)
    with right:
        run_trash.show()
origins.show()
