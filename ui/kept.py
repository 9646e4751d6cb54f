"""What was said and set, in words, while a run waits or goes: greyed widgets are hard to read."""

import streamlit as st

from trainer.learner import LOCAL
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
    """Return what was set in words: the first settings, and of the others what is not usual."""
    config = run.config
    infos = opened.info.settings if opened.info else ()
    shown = {
        info.label: words.setting(info, config.settings[info.name])
        for info in infos
        if info.name in config.settings
        and (not info.advanced or config.settings[info.name] != info.default)
    }
    always = {"Seed": str(config.seed), "Preset": config.preset.upper()}
    return shown | always | ({} if config.learner == LOCAL else {"Learner": config.learner})
