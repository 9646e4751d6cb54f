"""A small table of words and figures, each figure with its origin."""

from typing import Any

import streamlit as st

from course.lesson import PictureSpec
from ui import number


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"columns": [...], "rows": [[cell, ...], ...]}`; a row's first cell names it.

    A cell is a text, shown as code, `{"value", "unit", "origin"}`, or None for an empty one.
    """
    names, *columns = zip(*value["rows"], strict=True)
    head = [name or "\N{NO-BREAK SPACE}" for name in value["columns"]]
    cells = {head[0]: list(names)}
    for name, column in zip(head[1:], columns, strict=True):
        cells[name] = [_cell(cell) for cell in column]
    st.table(cells, border="horizontal", hide_index=True)


def _cell(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return f"`{cell}`"
    return number.text(cell["value"], cell["unit"], cell["origin"])
