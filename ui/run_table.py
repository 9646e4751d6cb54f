"""The table of runs; what is ticked stands in the address, so a comparison can be sent on."""

import hashlib
import math
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import streamlit as st

from trainer import catalogue
from trainer.catalogue import Catalogue
from trainer.runs import runs_folder
from trainer.tracking import Row
from ui import run_names, run_words
from ui.run_filters import Filtered

_TICKED = "ticked"


def show(filtered: Filtered) -> list[Row]:
    """Draw the table; return the ticked rows, in the order of the table."""
    rows = filtered.rows
    if not rows:
        return []
    frame = _frame(filtered, catalogue.read(runs_folder()))
    wanted = [place for place, row in enumerate(rows) if row.id in _asked()]
    picked = st.dataframe(
        frame,
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        selection_default={"selection": {"rows": wanted}},
        row_height=40,
        column_config=_columns(filtered),
        key=_key(rows, frame),
        alt=f"Runs: {len(rows)}, with what was said and what it was",
    )
    places = [place for place in picked["selection"]["rows"] if place < len(rows)]
    ticked = [rows[place] for place in sorted(places)]
    _remember(ticked)
    return ticked


def _asked() -> list[str]:
    return [part for part in st.query_params.get(_TICKED, "").split(",") if part]


def _remember(ticked: list[Row]) -> None:
    names = ",".join(row.id for row in ticked)
    if names:
        st.query_params[_TICKED] = names
    else:
        st.query_params.pop(_TICKED, None)


def _key(rows: list[Row], frame: pd.DataFrame) -> str:
    """Other rows, another order or another text in a cell are another table.

    A tick belongs to a place, and the browser forgets all ticks when a table's text changes; a new
    table takes them from the address.
    """
    content = ",".join(row.id for row in rows) + frame.to_csv()
    return f"runs-{hashlib.sha256(content.encode()).hexdigest()[:12]}"


def _frame(filtered: Filtered, labs: Catalogue | None) -> pd.DataFrame:
    rows, metric = filtered.rows, filtered.metric
    best = _best(rows, metric)
    columns: dict[str, list[Any]] = {
        "Best": ["●" if row.id == best else "" for row in rows],
        "Lab": [run_words.lab(row.lab) for row in rows],
        "Run": run_names.names(rows, labs),
        "Stands on": [run_words.stands_on(row) for row in rows],
        "Status": [run_words.status(row) for row in rows],
        "You said": [run_words.said(row) for row in rows],
        "It was": [run_words.was(row) for row in rows],
        "Value": [row.metrics.get(metric) if metric else None for row in rows],
        "Origin": [_origin(row, metric) for row in rows],
        "Time (s)": [row.seconds for row in rows],
        "Started": [_local(row.started) for row in rows],
        "Learner": [row.learner for row in rows],
        "Kept in": ["MLflow" if row.is_recorded else "not yet in the history" for row in rows],
    }
    left_out = {
        "Lab": filtered.lab is not None,
        "Value": metric is None,
        "Origin": metric is None,
        "Learner": len({row.learner for row in rows}) == 1,
        "Stands on": not any(map(run_words.stands_on, rows)),
        "Kept in": all(row.is_recorded for row in rows),
    }
    return pd.DataFrame({name: v for name, v in columns.items() if not left_out.get(name)})


def _columns(filtered: Filtered) -> dict[str, Any]:
    column = st.column_config
    value = run_words.metric(filtered.metric) if filtered.metric else "Value"
    return {
        "Best": column.TextColumn(width=50),
        "Run": column.TextColumn(width="medium"),
        "Value": column.NumberColumn(value[:1].upper() + value[1:], format="%.3f"),
        "Origin": column.TextColumn(width=60, help="M: measured on this machine, in this run"),
        "Time (s)": column.NumberColumn(format="%.0f", width=70),
        "Started": column.DatetimeColumn(format="D MMM, HH:mm", width=120),
    }


def _best(rows: list[Row], metric: str | None) -> str | None:
    low = run_words.is_low_good(metric) if metric else None
    found = [
        (row.metrics[metric], row.id)
        for row in rows
        if metric in row.metrics and math.isfinite(row.metrics[metric])
    ]
    if low is None or len(found) < 2 or len({row.lab for row in rows}) > 1:
        return None
    return min(found)[1] if low else max(found)[1]


def _origin(row: Row, metric: str | None) -> str:
    return row.origins.get(metric, "M") if metric in row.metrics else ""


def _local(t: float | None) -> datetime | None:
    return datetime.fromtimestamp(t, UTC).astimezone().replace(tzinfo=None) if t else None
