"""The drawn route: six stations on one line that are also a list of links for the keyboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from ui import state
from ui.glyphs import GLYPHS

_HERE = Path(__file__).parent
_WORDS = {"done": "Done.", "here": "You are here.", "todo": "Not yet done."}
_draw = st.components.v2.component(
    "stagecoach_route",
    html="<nav></nav>",
    css=(_HERE / "route.css").read_text(encoding="utf-8"),
    js=(_HERE / "route.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True, kw_only=True)
class Station:
    """One stage on the line: its page, its name and what exists there, in a few words."""

    stage: str
    name: str
    sub: str
    is_done: bool = False


def show(
    stations: Sequence[Station], here: str | None, *, size: Literal["big", "slim"] = "big"
) -> None:
    """Draw the line with the station `here` lit; a click goes to that stage's page."""
    rows = [_row(station, here) for station in stations]
    query = urlencode(state.learner_query())
    data = {"label": "The six stages", "size": size, "stations": rows, "query": query}
    picked = _draw(data=data, key=f"route-{size}", on_go_change=lambda: None)
    if picked.go:
        st.switch_page(state.page_path(picked.go), query_params=state.learner_query())


def _row(station: Station, here: str | None) -> dict[str, object]:
    is_here = station.stage == here
    mark = "here" if is_here else "done" if station.is_done else "todo"
    return {
        "path": station.stage,
        "name": station.name,
        "sub": station.sub,
        "state": mark,
        "current": is_here,
        "glyph": GLYPHS[station.stage],
        "words": _WORDS[mark],
    }
