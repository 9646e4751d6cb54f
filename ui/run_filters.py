"""The filters of the Runs page: pills whose choice stands in the address."""

from collections import Counter
from dataclasses import dataclass

import streamlit as st

from trainer.runs import RunStatus
from trainer.tracking import Row
from ui import run_words, state

_STATUS = {
    "All": tuple(RunStatus),
    "Under way": (RunStatus.SCHEDULED, RunStatus.RUNNING),
    "Finished": (RunStatus.FINISHED,),
    "Stopped": (RunStatus.KILLED,),
    "Failed": (RunStatus.FAILED,),
}
EVERYONE = "Everyone"  # no learner's name: those have small letters
_LONGEST_NAME = 30  # letters of a learner on a pill
_ORDERS = ("Newest first", "Best first", "Longest first")


@dataclass(frozen=True)
class Filtered:
    """What is left of the history: one lab or all, one metric, in which order."""

    rows: list[Row]
    lab: str | None = None
    metric: str | None = None


def show(rows: list[Row]) -> Filtered:
    """Draw the filters; return the rows that pass, in the chosen order."""
    if not rows:
        return Filtered([])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        lab = _lab(rows)
        status = st.segmented_control(
            "Status", list(_STATUS), default="All", required=True,
            key="show_status", bind="query-params", wrap=True,
        )  # fmt: skip
        learner = _learner(rows)
    kept = [
        row
        for row in rows
        if lab in (None, row.lab)
        and learner in (EVERYONE, row.learner)
        and row.status in _STATUS[status or "All"]
    ]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        metric = _metric(kept)
        order = st.selectbox("Order", _ORDERS, key="show_order", bind="query-params", width=220)
    return Filtered(_ordered(kept, order or _ORDERS[0], metric), lab, metric)


def _lab(rows: list[Row]) -> str | None:
    labs = sorted({row.lab for row in rows}, key=run_words.lab)
    return st.pills(
        "Lab", labs, format_func=run_words.lab, key="show_lab", bind="query-params", wrap=True
    )


def _learner(rows: list[Row]) -> str:
    """Return whose runs are shown: the visitor's own at first, anybody's or everyone's on demand.

    An address with another learner's runs ticked, which somebody sent on, shows everyone's.
    """
    me, ticked = state.read().learner, st.query_params.get("ticked", "").split(",")
    others = sorted({row.learner for row in rows} - {me})
    if not others:
        return me
    is_sent = any(row.id in ticked and row.learner != me for row in rows)
    names = [me, *others]
    labels = _short_names(names) | {EVERYONE: EVERYONE}
    picked = st.pills(
        "Learner", [me, EVERYONE, *others], format_func=labels.__getitem__,
        default=EVERYONE if is_sent else me, required=True,
        key="show_learner", bind="query-params", wrap=True,
    )  # fmt: skip
    return picked or me


def _short_names(learners: list[str]) -> dict[str, str]:
    """Cut long names; two that would read alike keep their whole length."""
    cut = {name: _cut(name) for name in learners}
    alike = Counter(cut.values())
    return {name: short if alike[short] == 1 else name for name, short in cut.items()}


def _cut(name: str) -> str:
    whole = len(name) <= _LONGEST_NAME
    return name if whole else name[: _LONGEST_NAME - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _metric(rows: list[Row]) -> str | None:
    names = run_words.ranked({name for row in rows for name in row.metrics}, rows)
    if not names:
        return None
    return st.selectbox(
        "Value", names, format_func=run_words.metric,
        key="show_value", bind="query-params", width=320,
    )  # fmt: skip


def _ordered(rows: list[Row], order: str, metric: str | None) -> list[Row]:
    if order == "Longest first":
        return sorted(rows, key=lambda row: -row.seconds)
    if order == "Best first" and metric:
        sign = 1 if run_words.is_low_good(metric) else -1
        return sorted(
            rows, key=lambda row: (metric not in row.metrics, sign * row.metrics.get(metric, 0.0))
        )
    return rows
