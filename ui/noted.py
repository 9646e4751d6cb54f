"""The learner's own finding in a sentence, kept with the run."""

import streamlit as st

from trainer.runs import Run
from ui import own

_LONGEST = 500  # characters


def show(run: Run) -> None:
    """Draw the field and its button; a saved sentence stands in it again after a reload."""
    st.markdown("### Record", anchors=False)
    before = str(run.notes.get("finding", ""))
    text = st.text_area(
        "Your finding in one sentence",
        before,
        height=96,
        max_chars=_LONGEST,
        placeholder="With these settings I measured ..., because ...",
        key=f"noted-{run.id}",
    )
    st.button("Save the finding", icon=":material/save:", on_click=_save, args=(run,))
    if before and before == (text or "").strip():
        st.markdown(":small[Saved with this run.]")


def _save(run: Run) -> None:
    text = st.session_state.get(f"noted-{run.id}") or ""
    own.ask(run, lambda: run.note(finding=text.strip()))


def is_saved(run: Run) -> bool:
    """Return whether the learner has written a finding down."""
    return bool(run.notes.get("finding"))
