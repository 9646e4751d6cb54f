"""A table of figures with a shade behind each: what validation said against what use brought."""

from typing import Any

import plotly.graph_objects as go

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"rows": [...], "columns": [...], "values": [[...], ...]}`, fractions of one."""
    colours = look.tokens()
    rows = [still.label(name) for name in value["rows"]]
    columns = [
        still.label(name).replace(" ", "<br>") for name in value["columns"]
    ]  # upright on phones
    fig = go.Figure(
        go.Heatmap(
            z=value["values"],
            x=columns,
            y=rows,
            zmin=0,
            zmax=1,
            colorscale=[[0, colours.paper], [1, colours.band]],
            showscale=False,
            xgap=3,
            ygap=3,
            hoverinfo="skip",
        )
    )
    for row, line in zip(rows, value["values"], strict=True):
        for column, cell in zip(columns, line, strict=True):
            text = f"<b>{number.figure(cell)}</b> (M)"
            fig.add_annotation(
                x=column, y=row, text=text, showarrow=False, font={"size": 16, "color": colours.ink}
            )
    lines = zip(rows, value["values"], strict=True)
    words = "; ".join(f"{row}: {_words(columns, line)}" for row, line in lines)
    fig.update_yaxes(autorange="reversed")
    fig.update_xaxes(side="top", tickangle=0)
    still.show(fig, spec, f"{spec.alt} {words}.")


def _words(columns: list[str], line: list[float]) -> str:
    names = [name.replace("<br>", " ") for name in columns]
    return ", ".join(f"{c} {number.figure(v)}" for c, v in zip(names, line, strict=True))
