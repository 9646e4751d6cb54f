"""How far a run is, in one line beside its buttons: words and a thin bar, kept up to date live."""

from pathlib import Path

import streamlit as st

from ui import live

_HERE = Path(__file__).parent
_WIDE, _NARROW = 320, 225  # px: beside the buttons on a wide screen, under them on a narrow one
_draw = st.components.v2.component(
    "stagecoach_progress",
    html=(_HERE / "progress.html").read_text(encoding="utf-8"),
    css=(_HERE / "progress.css").read_text(encoding="utf-8"),
    js=(_HERE / "mount.js").read_text(encoding="utf-8"),
)


def show(run_id: str | None, words: str, *, key: str = "progress") -> None:
    """Show the state of a run; `words` is what the page knows of it until the socket tells more.

    Without a run the words stand as they are: the line is there in every state, so that it has no
    script to load when a click on Train is to be answered.

    Args:
        run_id: The run, or None.
        words: A state's word (queued, starting, running ...); without a run a sentence.
        key: The same in every state of the lab.
    """
    data = {"module": live.asset("progress.js"), "base": live.base(), "run": run_id}
    width = _NARROW if words in ("stopped", "failed") else _WIDE
    _draw(key=key, data=data | {"words": words}, width=width)
