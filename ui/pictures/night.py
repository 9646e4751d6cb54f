"""A night as bars in time: who trained when, what was lost, how long nobody worked."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still

_WORDS = {"trains": "trains", "lost": "lost", "down": "down", "again": "computed again"}
_HATCH = {"lost": "/", "again": "."}  # told apart without colour as well
_HEIGHT = 190


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"lanes": [[name, [[kind, begun_s, ended_s], ...]], ...]}`."""
    fig, lanes = go.Figure(), value["lanes"]
    for kind in _WORDS:
        bars = [
            (place, begun, ended)
            for place, (_, spans) in enumerate(lanes)
            for its, begun, ended in spans
            if its == kind
        ]
        if bars:
            fig.add_bar(**_row(kind, bars))
    fig.update_layout(barmode="overlay", bargap=0.3, height=_HEIGHT)
    names = [still.label(name) for name, _ in lanes]
    fig.update_yaxes(tickvals=list(range(len(names))), ticktext=names, autorange="reversed")
    fig.update_xaxes(ticksuffix=" s")
    told = _told(lanes)
    alt = f"{spec.alt} {told}"
    still.show(fig, spec, alt, legend=True, legend_y=-0.2)
    st.markdown(f":small[{number.sentence(told, 'M')}]")


def _row(kind: str, bars: list[tuple[int, float, float]]) -> dict[str, Any]:
    colours = look.tokens()
    tones = {"trains": colours.series[0], "lost": colours.series[1], "again": colours.series[2]}
    times = [f"{number.figure(a, 's')} to {number.figure(b, 's')}" for _, a, b in bars]
    return {
        "orientation": "h",
        "name": _WORDS[kind],
        "y": [place for place, _, _ in bars],
        "base": [begun for _, begun, _ in bars],
        "x": [ended - begun for _, begun, ended in bars],
        "width": 0.6,
        "marker": {
            "color": tones.get(kind, colours.band),
            "line": {"color": colours.ink, "width": 1},
            "pattern": {"shape": _HATCH.get(kind, ""), "solidity": 0.25},
        },
        "customdata": times,
        "hovertemplate": f"{_WORDS[kind]}: %{{customdata}} (M)<extra></extra>",
    }


def _told(lanes: list[Any]) -> str:
    """Return the seconds of each kind but the training itself, for the lanes that have some."""
    parts = []
    for name, spans in lanes:
        sums = {kind: sum(b - a for its, a, b in spans if its == kind) for kind in _WORDS}
        told = [
            f"{number.figure(sums[k], 's')} {_WORDS[k]}"
            for k in _WORDS
            if k != "trains" and sums[k]
        ]
        if told:
            parts.append(f"{still.label(name).capitalize()}: {', '.join(told)}.")
    return " ".join(parts) or "Nothing was lost and nothing was down."
