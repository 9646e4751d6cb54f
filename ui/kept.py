"""What was said and set, in words, while a run waits or goes: greyed widgets are hard to read."""

import streamlit as st

from trainer.runs import Run
from ui import gauges, words
from ui.lab_states import Opened


def show(opened: Opened, run: Run) -> None:
    """Draw the prediction and the settings of a run."""
    config = run.config
    st.markdown("### You said", anchors=False)
    st.markdown(words.said(opened.lesson, config.prediction, config.confidence))
    st.markdown("### This run", anchors=False)
    st.table(_rows(opened, run), border="horizontal", hide_header=True)
    gauges.show()


def _rows(opened: Opened, run: Run) -> dict[str, str]:
    config = run.config
    known = {info.name: info for info in opened.info.settings} if opened.info else {}
    rows = {
        known[name].label if name in known else name: words.setting(known[name], value)
        if name in known
        else str(value)
        for name, value in config.settings.items()
    }
    always = {"Seed": str(config.seed), "Preset": config.preset.upper()}
    return rows | always | ({} if config.learner == "local" else {"Learner": config.learner})
