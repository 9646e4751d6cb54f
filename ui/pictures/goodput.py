"""Goodput against the time between checkpoints: replayed points, the formula, and both optima."""

from math import log10
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still

_TICKS = (0.01, 0.1, 1, 10, 60, 600)  # seconds
_RULE = (
    "Rule of the replay: the training works for an interval, saves, and begins again; a failure "
    "costs all work since the last save, and a restart."
)
_MARKS = {  # words, origin, marker with its size, and where the words stand beside it
    "own": ("this run", "C", ("square", 13), (0, 64)),
    "young": ("Young", "C", ("diamond", 17), (0, 40)),
    "best": ("best replayed", "S", ("star", 11), (0, -24)),  # often lies on the one before
}


def show(spec: PictureSpec, value: Any) -> None:
    """Draw what `trainer.goodput.picture` gave."""
    colours, fig = look.tokens(), go.Figure()
    fig.add_scatter(
        **_xy(value["points"]),
        mode="markers",
        marker={"size": 7, "color": colours.series[0], "opacity": 0.75},
        hovertemplate="save every %{x:.3~g} s: %{y:.3f} (S)<extra></extra>",
    )
    fig.add_scatter(
        **_xy(value["line"]),
        mode="lines",
        line={"color": colours.ink, "width": 2, "dash": "dash"},
        hoverinfo="skip",
    )
    _write(fig, value["points"][-4], "replayed (S)", (-46, 14))
    _write(fig, value["line"][3], "formula (C)", (44, 14))
    tones = {"best": colours.signal, "young": colours.series[1], "own": colours.series[2]}
    for name in _MARKS:
        _mark(fig, name, value[name], tones[name])
    ticks = [tick for tick in _TICKS if value["line"][0][0] <= tick <= value["line"][-1][0]]
    names = [_time(tick) for tick in ticks]
    fig.update_xaxes(type="log", tickvals=ticks, ticktext=names, title_text="between checkpoints")
    still.show(fig, spec, f"{spec.alt} {_found(value)}", y_title="goodput")
    st.markdown(f":small[{_measured(value)}]  \n:small[{_RULE}]")


def _xy(points: list[list[float]]) -> dict[str, list[float]]:
    return {"x": [x for x, _ in points], "y": [y for _, y in points]}


def _write(fig: go.Figure, point: list[float], words: str, away: tuple[int, int]) -> None:
    """Put words beside a point, `away` pixels right and down; a log axis wants the logarithm."""
    font = {"size": 13, "color": look.tokens().ink}
    place = {"x": log10(point[0]), "y": point[1], "ax": away[0], "ay": away[1]}
    fig.add_annotation(**place, text=words, font=font, showarrow=True, arrowhead=0, arrowwidth=1)


def _mark(fig: go.Figure, name: str, point: list[float], tone: str) -> None:
    words, origin, (symbol, size), away = _MARKS[name]
    told = f"{words}: every {_time(point[0])}, {number.figure(point[1])} ({origin})"
    edge = {"width": 1.5, "color": look.tokens().ink}
    fig.add_scatter(
        **_xy([point]),
        mode="markers",
        marker={"symbol": symbol, "size": size, "color": tone, "line": edge},
        hovertemplate=f"{told}<extra></extra>",
    )
    _write(fig, point, f"{words} ({origin})", away)


def _found(value: Any) -> str:
    parts = [
        f"{_MARKS[name][0]}: every {_time(value[name][0])}, goodput {number.figure(value[name][1])}"
        for name in _MARKS
    ]
    return "; ".join(parts) + "."


def _measured(value: Any) -> str:
    """Return what was measured and what follows from it, each with its letter."""
    step, save = (number.text(1000 * value[name], "ms", "M") for name in ("step_s", "save_s"))
    restart, apart = number.text(value["restart_s"], "s", "M"), _time(value["mtbf_s"])
    own, young, best = (number.text(value[name][0], "s", _MARKS[name][1]) for name in _MARKS)
    return (
        f"A step took {step}, a save {save}, the restart {restart}. With a failure every {apart} "
        f"in the mean, {number.figure(value['failures'])} drawn failures were survived best with a "
        f"save after every {best} of work. Young's formula says {young}. This run saved after "
        f"every {own} of work and would keep {number.text(value['own'][1], '', 'C')} of its time."
    )


def _time(seconds: float) -> str:
    """Return a time as short as it can be said: `0.1 s`, `10 s`, `2 min`."""
    if seconds >= 60 and seconds % 60 == 0:
        return number.figure(int(seconds // 60), "min")
    return f"{seconds:g} s" if seconds in _TICKS else number.figure(seconds, "s")
