"""What a batch of n rows costs without a server around it, and the straight line through it."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still

_PLACES = 40


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"rows": [[n, ms], ...], "limit": rows, "start_ms", "row_ms", "error"}`.

    The last three belong to the fitted line and may be missing.
    """
    colours, fig, points = look.tokens(), go.Figure(), value["rows"]
    if "start_ms" in value:
        fig.add_scatter(**_line(value))
    fig.add_scatter(
        x=[n for n, _ in points],
        y=[ms for _, ms in points],
        mode="markers",
        marker={"color": colours.series[3], "size": 9},
        customdata=[number.figure(ms, "ms") for _, ms in points],
        hovertemplate="%{x} rows: %{customdata} (M)<extra></extra>",
    )
    fig.update_xaxes(type="log", tickvals=[n for n, _ in points], title_text="rows in a batch")
    fig.update_yaxes(rangemode="tozero")
    still.show(fig, spec, f"{spec.alt} {_words(value)}", y_title="ms (M)")
    if "start_ms" in value:
        st.markdown(f":small[{_fitted(value)}]")


def _line(value: dict[str, Any]) -> dict[str, Any]:
    low, high = value["rows"][0][0], value["rows"][-1][0]
    rows = [low * (high / low) ** (step / (_PLACES - 1)) for step in range(_PLACES)]
    return {
        "x": rows,
        "y": [value["start_ms"] + value["row_ms"] * n for n in rows],
        "mode": "lines",
        "line": {"color": look.tokens().ink, "width": 1.6, "dash": "dash"},
        "hoverinfo": "skip",
    }


def _fitted(value: dict[str, Any]) -> str:
    start, row = (number.text(value[name], "ms", "M") for name in ("start_ms", "row_ms"))
    rates = [number.text(_per_s(value, rows), "rows/s", "C") for rows in (1, value["limit"])]
    limit = number.figure(value["limit"])
    off = number.text(100 * value["error"], "%", "M")
    return (
        f"S(n) = {start} + n times {row}, off by {off}. One at a time that is {rates[0]}, "
        f"in batches of {limit} {rates[1]}."
    )


def _words(value: dict[str, Any]) -> str:
    told = ", ".join(
        f"{number.figure(n)} rows {number.figure(ms, 'ms')}" for n, ms in value["rows"]
    )
    if "start_ms" not in value:
        return f"{told}."
    start, row = number.figure(value["start_ms"], "ms"), number.figure(value["row_ms"], "ms")
    return f"{told}. Fitted: {start} plus {row} a row."


def _per_s(value: dict[str, Any], rows: int) -> float:
    return float(1000 * rows / (value["start_ms"] + value["row_ms"] * rows))
