"""One step as bars in time: what each rank computed, and when its gradients were under way."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still

_KINDS = ("forward", "backward", "wait", "update", "all-reduce")  # in the order of a step
_LANE = 26  # pixels; with those below it
_REST = 90


def show(spec: PictureSpec, value: Any) -> None:
    """Draw the lanes, and say how much of the all-reduces the computing hid.

    `value` is `{"step": k, "lanes": [{"name", "bars": [[kind, begun_ms, ended_ms], ...]}, ...],
    "hidden_share": share or None, "bucket_bytes": [...]}`.
    """
    fig, lanes = go.Figure(), value["lanes"]
    for kind in _KINDS:
        bars = [
            (place, begun, ended)
            for place, lane in enumerate(lanes)
            for its, begun, ended in lane["bars"]
            if its == kind
        ]
        if bars:
            fig.add_bar(**_row(kind, bars))
    height = _REST + _LANE * len(lanes)
    fig.update_layout(barmode="overlay", bargap=0.25, height=height)
    fig.update_layout(legend={"entrywidth": 74})  # so that phones have two beside each other
    names = [lane["name"] for lane in lanes]
    fig.update_yaxes(tickvals=list(range(len(names))), ticktext=names, autorange="reversed")
    fig.update_xaxes(ticksuffix=" ms")
    told = _told(value)
    still.show(fig, spec, f"{spec.alt} {told}", legend=True, legend_y=-0.12)
    st.markdown(f":small[{number.sentence(told, 'M')}]")


def _row(kind: str, bars: list[tuple[int, float, float]]) -> dict[str, Any]:
    colours = look.tokens()
    fill = {
        "forward": colours.series[5],
        "backward": colours.series[3],
        "wait": colours.band,
        "update": colours.muted,
        "all-reduce": colours.series[4],
    }[kind]
    edge = {"color": colours.paper if kind == "all-reduce" else fill, "width": 1}
    times = [
        f"{number.figure(begun, 'ms')} to {number.figure(ended, 'ms')}" for _, begun, ended in bars
    ]
    return {
        "orientation": "h",
        "name": kind,
        "y": [place for place, _, _ in bars],
        "base": [begun for _, begun, _ in bars],
        "x": [ended - begun for _, begun, ended in bars],
        "width": 0.72,
        "opacity": 0.75 if kind == "all-reduce" else 1.0,  # two buckets may be under way at once
        "marker": {"color": fill, "line": edge},
        "customdata": times,
        "hovertemplate": f"{kind}: %{{customdata}} (M)<extra></extra>",
    }


def _told(value: dict[str, Any]) -> str:
    step, share = number.figure(value["step"]), value["hidden_share"]
    if share is None:
        return f"Step {step}: no gradient was under way."
    sizes = [number.figure(size / 1024, "KiB") for size in value["bucket_bytes"]]
    hidden = number.figure(100 * share, "%")
    return (
        f"Step {step}: buckets of {' and '.join(sizes)}. Of the time that a rank's all-reduces "
        f"took, {hidden} passed while it still computed gradients."
    )
