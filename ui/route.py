"""The drawn route: the chain's links on one line that are also a list of links for the keyboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

import streamlit as st

from ui import state
from ui.glyphs import GLYPHS

_HERE = Path(__file__).parent
MARKS = {"fresh": "\N{CHECK MARK}", "stale": "\N{CLOCKWISE OPEN CIRCLE ARROW}", "missing": "○"}
_draw = st.components.v2.component(
    "stagecoach_route",
    html="<nav></nav>",
    css=(_HERE / "route.css").read_text(encoding="utf-8"),
    js=(_HERE / "route.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True, kw_only=True)
class Station:
    """One stop on the line: its page, its name, what exists there and how it stands.

    Attributes:
        stage: the page; of a stop between two stages the one where its run or its form is.
        sub: what happens here, shown while nothing exists.
        product: what exists, in a few words, with the letter of its number's `origin`.
        why: a sentence where the link is stale.
        query: what the address needs to show the link's run.
        is_stage: whether this is one of the six; the champion is not.
    """

    stage: str
    name: str
    sub: str
    mark: Literal["fresh", "stale", "missing"] = "missing"
    product: str = ""
    origin: str = ""
    why: str = ""
    query: tuple[tuple[str, str], ...] = ()
    is_stage: bool = True


def show(
    stations: Sequence[Station], here: str | None, *, size: Literal["big", "slim"] = "big"
) -> None:
    """Draw the line with the station `here` lit; a click goes to that link's run."""
    rows = [_row(station, here) for station in stations]
    data = {
        "label": "The six stages and your chain",
        "size": size,
        "stations": rows,
        "query": urlencode(state.learner_query()),
        "stale": _stale([station for station in stations if station.mark == "stale"]),
    }
    picked = _draw(data=data, key=f"route-{size}", on_go_change=lambda: None)
    if picked.go is not None:
        chosen = stations[int(picked.go)]
        query = dict(chosen.query) | state.learner_query()
        st.switch_page(state.page_path(chosen.stage), query_params=query)


def _row(station: Station, here: str | None) -> dict[str, object]:
    is_here = station.is_stage and station.stage == here
    return {
        "path": station.stage,
        "query": urlencode(station.query),
        "name": station.name,
        "sub": station.sub,
        "mark": station.mark,
        "glyph": MARKS[station.mark],
        "product": station.product,
        "origin": station.origin,
        "why": station.why,
        "current": is_here,
        "stage": station.is_stage,
        "picture": GLYPHS[station.stage] if station.is_stage else "",
    }


def _stale(stale: list[Station]) -> str:
    """Return the one line that names the stale links, empty where there are none."""
    if not stale:
        return ""
    names = ", ".join(station.name for station in stale)
    return f"{MARKS['stale']} {'Stale' if len(stale) == 1 else 'Stale links'}: {names}. Why?"
