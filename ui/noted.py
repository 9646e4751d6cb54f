"""The learner's own finding in a sentence, kept with the run."""

import streamlit as st

from trainer.runs import Run

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
    if st.button("Save the finding", icon=":material/save:"):
        run.note(finding=(text or "").strip())
        before = (text or "").strip()
    if before and before == (text or "").strip():
        st.markdown(":small[Saved with this run.]")


def is_saved(run: Run) -> bool:
    """Return whether the learner has written a finding down."""
    return bool(run.notes.get("finding"))
