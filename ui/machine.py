"""This machine in one line: what runs will use, and why not a GPU where there is none."""

import streamlit as st

from trainer import device
from trainer.device import DeviceFacts
from trainer.runs import runs_folder
from ui import number


def show() -> None:
    """Draw the line; until the machine was looked at it says so."""
    facts = device.facts(runs_folder())
    if facts is None:
        _wait()
    else:
        st.markdown(f":small[{number.chip('M')} {words(facts)}]")


@st.fragment(run_every=1.0)
def _wait() -> None:
    if device.facts(runs_folder()) is not None:
        st.rerun()
    st.markdown(":small[Looking at this machine. It takes a few seconds.]")


def words(facts: DeviceFacts) -> str:
    """Return the machine in one sentence, and the reason where its GPU is not used."""
    cores = number.figure(facts.cores, "core" if facts.cores == 1 else "cores")
    memory = number.figure(round(facts.memory_gib), "GiB")
    if facts.kind == "cuda":
        return f"This machine: {facts.gpu_name}, with {cores} and {memory} of memory beside it."
    reason = f" {facts.reason}" if facts.reason else ""
    return f"This machine: CPU, {cores}, {memory}.{reason}"
