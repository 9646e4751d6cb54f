"""Small gauges of this machine, measured now, live over the page's one socket."""

from pathlib import Path

import streamlit as st

from ui import live

_HERE = Path(__file__).parent
_draw = st.components.v2.component(
    "stagecoach_gauges",
    html='<section aria-label="This machine now"><ul></ul></section>',
    css=(_HERE / "gauges.css").read_text(encoding="utf-8"),
    js=(_HERE / "mount.js").read_text(encoding="utf-8"),
)


def show(key: str = "gauges") -> None:
    """Show what this machine does right now, once a second."""
    _draw(key=key, data={"module": live.asset("gauges.js"), "base": live.base()})
