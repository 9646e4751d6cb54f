"""Throughput against latency: measured loads, the computed line behind them, and the knee."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still

_PARTS = {"p50": "circle", "p95": "square", "p99": "triangle-up"}
_FIRST = 3  # the colours of the live curve, whose lines are neither training nor validation


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"points": [...], "computed": [...], "times": x, "knee": rate or None}`.

    A point has `name`, `per_s`, `p50`, `p95`, `p99`, `mean_ms`, `inside` and `is_late`; of the
    computed line each place has the rate and the percentiles.
    """
    fig = go.Figure()
    for place, part in enumerate(_PARTS):
        fig.add_scatter(**_computed(value["computed"], part))
        fig.add_scatter(**_measured(value["points"], part, look.tokens().series[_FIRST + place]))
    if value["knee"]:
        _flag(fig, value["knee"])
    fig.update_xaxes(title_text="answers a second (M)", rangemode="tozero")
    fig.update_yaxes(type="log", dtick=1)
    words = "; ".join(_words(point) for point in value["points"])
    still.show(
        fig, spec, f"{spec.alt} {words}. {_knee(value)}", y_title="ms", legend=True, legend_y=-0.32
    )
    st.markdown(f":small[{_knee(value)} {_little(value['points'][-1])}{_late(value['points'])}]")


def _measured(points: list[dict[str, Any]], part: str, colour: str) -> dict[str, Any]:
    symbols = [_PARTS[part] + ("-open" if point["is_late"] else "") for point in points]
    told = [f"{point['name']}: {number.figure(point[part], 'ms')}" for point in points]
    return {
        "x": [point["per_s"] for point in points],
        "y": [point[part] for point in points],
        "mode": "markers+lines",
        "name": f"{part} (M)",
        "line": {"color": colour, "width": 1},
        "marker": {
            "symbol": symbols,
            "size": 10,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        "customdata": told,
        "hovertemplate": f"{part}, %{{customdata}} (M)<extra></extra>",
    }


def _computed(line: list[dict[str, float]], part: str) -> dict[str, Any]:
    return {
        "x": [place["per_s"] for place in line],
        "y": [place[part] for place in line],
        "mode": "lines",
        "name": "the queue's clock (C)",
        "legendgroup": "computed",
        "showlegend": part == "p50",
        "line": {"color": look.tokens().muted, "width": 1.6, "dash": "dash"},
        "hoverinfo": "skip",
    }


def _flag(fig: go.Figure, rate: float) -> None:
    colours = look.tokens()
    fig.add_vline(x=rate, line={"color": colours.ink, "width": 2})
    fig.add_annotation(
        x=rate,
        y=1,
        yref="paper",
        text=f"knee {number.figure(rate)}",
        showarrow=False,
        xanchor="right",
        yanchor="top",
        bgcolor=colours.signal,
        font={"color": look.LIGHT.ink, "size": 14},
    )


def _knee(value: dict[str, Any]) -> str:
    times = number.figure(int(value["times"]))
    if not value["knee"]:
        return f"No knee yet: p95 has not passed {times} times that of the lightest load."
    rate = number.text(value["knee"], "answers/s", "M")
    return f"The knee: at {rate} p95 passes {times} times that of the lightest load."


def _little(point: dict[str, Any]) -> str:
    """Return Little's law at one point beside what was counted there."""
    law = number.text(point["per_s"] * point["mean_ms"] / 1000, "", "C")
    counted = number.text(point["inside"], "", "M")
    return f"Inside at {point['name']}: rate times mean {law}, counted {counted}."


def _late(points: list[dict[str, Any]]) -> str:
    if not any(point["is_late"] for point in points):
        return ""
    return " Hollow: the load generator itself was late, so the point is not to be trusted."


def _words(point: dict[str, Any]) -> str:
    rate = number.figure(point["per_s"], "answers a second")
    told = ", ".join(f"{part} {number.figure(point[part], 'ms')}" for part in _PARTS)
    late = ", the generator was late" if point["is_late"] else ""
    return f"{point['name']}: {rate}, {told}{late}"
