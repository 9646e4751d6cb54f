"""The drawing of an overlay: Plotly, with direct labels and a text alternative."""

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from ui import look, run_words

AXES = {"step": "By step", "seconds": "By seconds", "examples": "By examples"}
_TITLES = {"step": "step", "seconds": "seconds of running time", "examples": "examples seen"}
_UNITS = {"loss": " (nats)", "accuracy": " (fraction)"}
# The first is broad and whole, the others lie on it broken: two equal curves stay two.
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "2px,6px", "8px,2px")
_LABEL = 32
_HEIGHT = 370
_MOST_POINTS = 1_000


@dataclass(frozen=True)
class Line:
    """One run's curve."""

    label: str
    x: list[float]
    y: list[float]


def show(lines: list[Line], metric: str, axis: str, sentence: str) -> None:
    """Draw the lines; `sentence` says what the picture says, for those who do not see it."""
    figure = go.Figure()
    tokens = look.tokens()
    for place, line in enumerate(lines):
        colour = tokens.series[place]
        figure.add_scatter(
            x=line.x,
            y=line.y,
            mode="lines",
            name=line.label,
            line={"color": colour, "width": 2 if place else 3, "dash": _DASHES[place]},
        )
    for annotation in _labels(lines, tokens):
        figure.add_annotation(**annotation)
    figure.update_layout(**_layout(metric, axis, tokens))
    st.plotly_chart(figure, key="overlay", config={"displayModeBar": False}, alt=sentence)


def thin(x: list[float], y: list[float]) -> tuple[list[float], list[float]]:
    """Return at most about a thousand points: of each stretch the lowest and the highest."""
    size = -(-2 * len(x) // _MOST_POINTS)
    if size < 3:
        return x, y
    kept = {0, len(x) - 1}
    for start in range(0, len(x), size):
        stretch = range(start, min(start + size, len(x)))
        kept |= {min(stretch, key=lambda i: y[i]), max(stretch, key=lambda i: y[i])}
    places = sorted(kept)
    return [x[i] for i in places], [y[i] for i in places]


def _labels(lines: list[Line], tokens: look.Tokens) -> list[dict[str, Any]]:
    """A dot in the line's colour and its name in ink, at the end, pushed apart where they meet."""
    drawn = [(line, tokens.series[i]) for i, line in enumerate(lines) if line.x]
    values = [value for line, _ in drawn for value in line.y if value == value]
    apart = (max(values) - min(values)) * 0.09 if values else 0.0
    labels, floor = [], float("-inf")
    for line, colour in sorted(drawn, key=lambda pair: _last(pair[0])):
        height = max(_last(line), floor + apart)
        floor = height
        labels.append(
            {
                "x": line.x[-1],
                "y": height,
                "xanchor": "right",
                "yshift": 12,
                "showarrow": False,
                "text": f"<span style='color:{colour}'>●</span> <b>{_short(line.label)}</b> (M)",
                "font": {"size": 14, "color": tokens.ink},
            }
        )
    return labels


def _short(label: str) -> str:
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"


def _last(line: Line) -> float:
    return next((value for value in reversed(line.y) if value == value), 0.0)


def _layout(metric: str, axis: str, tokens: look.Tokens) -> dict[str, Any]:
    unit = _UNITS.get(metric.rpartition("/")[2], "")
    shared = {
        "gridcolor": tokens.grid,
        "zeroline": False,
        "tickfont": {"size": 13, "color": tokens.muted},
        "title_font": {"size": 14, "color": tokens.muted},
    }
    return {
        "height": _HEIGHT,
        "showlegend": False,
        "hovermode": "x unified",
        "margin": {"l": 8, "r": 12, "t": 16, "b": 8},
        "plot_bgcolor": "rgba(0,0,0,0)",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {
            "title_text": _TITLES[axis],
            "showgrid": False,
            "showline": True,
            "linecolor": tokens.ink,
            **shared,
        },
        "yaxis": {"title_text": f"{run_words.metric(metric)}{unit}", "nticks": 5, **shared},
    }
