"""The way into MLflow's own pages: started on request, on the machine that runs Stagecoach."""

from urllib.parse import urlsplit

import streamlit as st

from trainer import tracking
from trainer.errors import StagecoachError
from trainer.runs import runs_folder
from trainer.tracking import Pages, Row

_HERE = {"localhost", "127.0.0.1", "::1", None}
_MOST_LINKS = 4


def show(ticked: list[Row]) -> None:
    """Draw the button, or the links once the pages are up."""
    st.markdown("### In MLflow", anchors=False)
    found = tracking.pages(runs_folder())
    is_far = urlsplit(st.context.url or "").hostname not in _HERE
    if is_far and (found is None or found.is_here_only):
        st.markdown("MLflow's own pages open only on the machine that runs Stagecoach.")
    elif found is None:
        _offer()
    elif not found.is_ready:
        _wait()
    else:
        _links(found, ticked)


def _offer() -> None:
    st.markdown(
        "The same history stands in MLflow, an open tool that many teams use. Its pages start in "
        "about fifteen seconds and end by themselves after ten idle minutes.",
        width=720,
    )
    if st.button("Start MLflow's pages", icon=":material/play_arrow:"):
        try:
            tracking.start_pages(runs_folder())
        except StagecoachError as error:
            st.warning(str(error), icon=":material/database_off:")
            return
        st.rerun()


@st.fragment(run_every=1.0)
def _wait() -> None:
    found = tracking.pages(runs_folder())
    if found is None or found.is_ready:
        st.rerun()
    st.markdown("MLflow's pages are starting. You may go on; the link appears here.")


def _links(found: Pages, ticked: list[Row]) -> None:
    with st.container(horizontal=True):
        st.link_button("Open MLflow's pages", found.home, icon=":material/open_in_new:")
        for row in ticked[:_MOST_LINKS]:
            if row.mlflow_run_id and row.mlflow_experiment_id:
                address = found.run(row.mlflow_experiment_id, row.mlflow_run_id)
                st.link_button(f"Run {row.id[:15]}", address, icon=":material/open_in_new:")
