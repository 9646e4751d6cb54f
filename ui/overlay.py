"""Ticked runs laid over each other: their curves, and only the settings in which they differ."""

import math

import streamlit as st

from trainer import catalogue, tracking
from trainer.runs import runs_folder
from trainer.tracking import Row
from ui import overlay_figure, run_names, run_words
from ui.overlay_figure import AXES, Line
from ui.what_differs import show as show_differences

_MOST = 8  # as many as there are colours that everybody can tell apart


def show(ticked: list[Row]) -> None:
    """Draw the comparison; nothing before a run is ticked."""
    if not ticked:
        return
    if len(ticked) > _MOST:
        st.markdown("Eight lines are as many as can be told apart; the first eight are drawn.")
    rows = ticked[:_MOST]
    names = _common(rows)
    if not names:
        st.markdown("These runs have no figure in common to lay over each other.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        metric = st.selectbox(
            "Curve", names, format_func=run_words.metric,
            key="show_curve", bind="query-params", width=320,
        )  # fmt: skip
        axis = st.segmented_control(
            "Along", list(AXES), default="step", required=True, format_func=AXES.__getitem__,
            key="show_along", bind="query-params",
        )  # fmt: skip
    lines = _lines(rows, metric or names[0], axis or "step")
    left, right = st.columns([8, 4], gap="medium")
    with right:
        sentence = show_differences(rows, lines, metric or names[0])
    with left:
        overlay_figure.show(lines, metric or names[0], axis or "step", sentence)


def _common(rows: list[Row]) -> list[str]:
    shared = set.intersection(*(set(row.metrics) for row in rows))
    return run_words.ranked(shared, rows)


def _lines(rows: list[Row], metric: str, axis: str) -> list[Line]:
    labels = run_names.differences(rows, catalogue.read(runs_folder()))
    return [
        Line(label, *_points(row, metric, axis)) for label, row in zip(labels, rows, strict=True)
    ]


@st.cache_data(
    ttl=600.0, max_entries=200, show_spinner=False,
    hash_funcs={Row: lambda row: (row.id, row.status, row.step)},
)  # fmt: skip
def _points(row: Row, metric: str, axis: str) -> tuple[list[float], list[float]]:
    """Return x and y of one run's curve; an ended run is read once."""
    points = tracking.metric_history(runs_folder(), row.id, metric)
    start = row.arm_start(metric)
    if axis == "seconds":
        began = points[0].seconds if points and start else 0.0
        x = [point.seconds - began for point in points]
    else:
        factor = row.examples_per_step if axis == "examples" else 1
        x = [float((point.step - start) * factor) for point in points]
    y = [point.value if math.isfinite(point.value) else math.nan for point in points]
    return overlay_figure.thin(x, y)
