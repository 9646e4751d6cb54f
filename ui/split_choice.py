"""After a run of stage 1: which split the later stages use, each with what it promised and kept."""

import time

import streamlit as st

from trainer import chain
from trainer.runs import Run
from ui import number, own, own_choice

_WORDS = {
    "row": "Devices stand on both sides, so an inflated promise travels on.",
    "device": "The promise is honest for devices that are new.",
    "month": "The promise is honest for the tickets of the months to come.",
}
_OWN = {
    "row": "Rows of one group stand on both sides, where there are groups.",
    "device": "The promise is honest for groups that are new.",
    "month": "The promise is honest for the rows to come.",
}


def show(run: Run) -> None:
    """Draw the choice; it is kept with the run, and runs started from now on stand on it."""
    splits = chain.splits_of(run)
    if run.config.lab != chain.DATA_LAB or not splits:
        return
    st.markdown("### What the later stages learn from", anchors=False)
    chosen = chain.split_of(run)
    st.radio(
        "The split of your tickets travels on. Stage 2 trains and validates on it:",
        splits,
        index=splits.index(chosen),
        format_func=lambda split: _label(run, split),
        key=_key(run),
        on_change=_choose,
        args=(run,),
    )
    is_now = chain.chain(run.path.parent, run.config.learner)[0].run == run.id
    if is_now:
        st.markdown(":small[Stage 2 uses these tickets now.]")
    else:
        st.markdown(":small[Stage 2 uses the tickets of another run of yours.]")
        st.button("Use these tickets again", on_click=_choose, args=(run,))


def _label(run: Run, split: str) -> str:
    promised, kept = (run.metrics.get(f"{split}.{part}/accuracy") for part in ("val", "unseen"))
    figures = f"promised {number.figure(promised)}, kept {number.figure(kept)} (M)"
    if run.record.samples.get("own"):
        return f"**{own_choice.SPLITS[split].capitalize()}**: {figures}. {_OWN[split]}"
    return f"**By {split}**: {figures}. {_WORDS[split]}"


def _choose(run: Run) -> None:
    split = st.session_state[_key(run)]
    own.ask(run, lambda: run.note(split=split, split_at=time.time()))


def _key(run: Run) -> str:
    return f"split-{run.id}"
