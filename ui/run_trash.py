"""The foot of the Runs page: the room that runs take, and the trash with a way back."""

import streamlit as st

from trainer import tracking
from trainer.errors import StagecoachError
from trainer.runs import Run, runs_folder
from ui import number, run_words, state

_MB = 1e6


def show() -> None:
    """Draw the space used, and what of the learner's own lies in the trash."""
    used = _space(str(runs_folder()))
    told = {
        "Runs": used.runs,
        "Data sets": used.data,
        "Registered models": used.models,
        "MLflow store": used.store,
        "Trash": used.trash,
    }
    st.markdown("### Space used", anchors=False)
    st.markdown(
        "  \n".join(
            f"{name} {number.text(size / _MB, 'MB', 'M')}" for name, size in told.items() if size
        )
    )
    kept = [run for run in tracking.trashed(runs_folder()) if state.is_own(run)]
    if not kept:
        return
    with st.expander(f"Trash: {number.figure(len(kept))}", icon=":material/delete:"):
        st.markdown("What lies here is removed for good after seven days.")
        for run in kept:
            _row(run)


@st.cache_data(ttl=10.0, show_spinner=False)
def _space(folder: str) -> tracking.Space:
    """Thousands of files are counted at most every ten seconds, however many look."""
    assert folder
    return tracking.space_used(runs_folder())


def _row(run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{run_words.lab(run.config.lab)} · `{run.id}`", width="stretch")
        st.button(
            "Take back", icon=":material/undo:", key=f"take-back-{run.id}",
            on_click=_restore, args=(run,),
        )  # fmt: skip


def _restore(run: Run) -> None:
    if not state.is_own(run):
        return
    try:
        tracking.restore(runs_folder(), run.id)
    except StagecoachError as error:
        st.session_state["runs-problem"] = str(error)
