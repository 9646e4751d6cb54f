"""A map of devices, one square each, coloured by where their tickets lie in a split."""

from typing import Any

import plotly.graph_objects as go

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still

_ACROSS = 25


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"kinds": [name, ...], "devices": [[device, kind index], ...]}`."""
    colours, devices = look.tokens(), value["devices"]
    fig = go.Figure()
    words = []
    for place, kind in enumerate(value["kinds"]):
        mine = [(i, name) for i, (name, its) in enumerate(devices) if its == place]
        fig.add_scatter(
            x=[i % _ACROSS for i, _ in mine],
            y=[-(i // _ACROSS) for i, _ in mine],
            mode="markers",
            marker={"symbol": "square", "size": 10, "color": colours.series[place]},
            text=[f"{name}: {still.label(kind)}" for _, name in mine],
            hovertemplate="%{text}<extra></extra>",
        )
        words.append(f"{number.figure(len(mine))} devices {still.label(kind)}")
    fig.update_xaxes(visible=False)
    fig.update_yaxes(visible=False)
    still.show(fig, spec, f"{spec.alt} {', '.join(words)}.")
