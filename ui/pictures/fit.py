"""Measured points and the straight line through each kind, on axes that grow by factors."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still

_SYMBOLS = ("circle", "square", "diamond", "x")
_FIRST = 3  # the colours of the live curve, whose lines are neither training nor validation
_PLACES = 24  # along a line, which is bent on such axes
_PER_GB = 1e9


def show(spec: PictureSpec, value: Any) -> None:
    """Draw every point and, once there are two sizes, the line through each name's points.

    `value` is `{"lines": [{"name", "points": [[bytes, ms], ...]}, ...]}`; a fitted line also has
    `latency_ms`, `ms_per_byte` and `error_pct`.
    """
    fig, words = go.Figure(), []
    for place, line in enumerate(value["lines"]):
        words.append(_words(line))
        fig.add_scatter(**_dots(line, place))
        if _is_fitted(line):
            fig.add_scatter(**_line(line, place))
    sizes = sorted({size for line in value["lines"] for size, _ in line["points"]})
    shown = sizes[:: max(1, -(-len(sizes) // 4))]
    names = [_size(size) for size in shown]
    fig.update_xaxes(type="log", tickvals=shown, ticktext=names)
    fig.update_yaxes(type="log", dtick=1)
    still.show(
        fig, spec, f"{spec.alt} {'; '.join(words)}.", y_title="ms (M)", legend=True, legend_y=-0.12
    )
    st.markdown("  \n".join(_fitted(line) for line in value["lines"] if _is_fitted(line)))


def _is_fitted(line: dict[str, Any]) -> bool:
    return "ms_per_byte" in line and line["ms_per_byte"] > 0


def _dots(line: dict[str, Any], place: int) -> dict[str, Any]:
    colour = look.tokens().series[_FIRST + place]
    return {
        "x": [size for size, _ in line["points"]],
        "y": [ms for _, ms in line["points"]],
        "mode": "markers",
        "name": line["name"],
        "legendgroup": line["name"],
        "marker": {"symbol": _SYMBOLS[place], "size": 6, "color": colour, "opacity": 0.6},
        "customdata": [f"{_size(size)}: {number.figure(ms, 'ms')}" for size, ms in line["points"]],
        "hovertemplate": f"{line['name']}, %{{customdata}} (M)<extra></extra>",
    }


def _line(line: dict[str, Any], place: int) -> dict[str, Any]:
    low, high = (end(size for size, _ in line["points"]) for end in (min, max))
    sizes = [low * (high / low) ** (step / (_PLACES - 1)) for step in range(_PLACES)]
    heights = [line["latency_ms"] + line["ms_per_byte"] * size for size in sizes]
    return {
        "x": sizes,
        "y": [height if height > 0 else None for height in heights],
        "mode": "lines",
        "legendgroup": line["name"],
        "showlegend": False,
        "hoverinfo": "skip",
        "line": {"color": look.tokens().series[_FIRST + place], "width": 2},
    }


def _fitted(line: dict[str, Any]) -> str:
    """Return latency, bandwidth and how far the points lie from the line, for the page."""
    latency = number.text(line["latency_ms"], "ms", "M")
    rate = number.text(_rate(line), "GB/s", "M")
    off = number.text(line["error_pct"], "%", "M")
    return f":small[{line['name']}: {latency} + size / {rate}, off by {off}]"


def _words(line: dict[str, Any]) -> str:
    if not _is_fitted(line):
        return f"{line['name']}: not fitted yet"
    latency, rate = number.figure(line["latency_ms"], "ms"), number.figure(_rate(line), "GB/s")
    off = number.figure(line["error_pct"], "%")
    return f"{line['name']}: {latency} plus size over {rate}; the points lie {off} off the line"


def _rate(line: dict[str, Any]) -> float:
    return float(1000 / line["ms_per_byte"] / _PER_GB)


def _size(size: float) -> str:
    kib = size / 1024
    if kib < 1000:
        return number.figure(int(kib + 0.5), "KiB")
    return number.figure(int(kib / 1024 + 0.5), "MiB")
