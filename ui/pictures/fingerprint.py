"""A map of devices: alike ones lie close together, coloured by where their tickets went."""

from typing import Any

import plotly.graph_objects as go

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still

_SYMBOLS = ("circle", "square", "diamond", "x-thin")


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"kinds": [name, ...], "devices": [[device, kind], ...], "places": [[x, y], ...]}`."""
    fig, words = go.Figure(), []
    points = list(zip(value["devices"], value["places"], strict=True))
    for place, kind in enumerate(value["kinds"]):
        mine = [(name, at) for (name, its), at in points if its == place]
        words.append(f"{number.figure(len(mine))} devices {still.label(kind)}")
        if mine:
            fig.add_scatter(**_dots(mine, place, kind))
    fig.update_xaxes(visible=False)
    fig.update_yaxes(visible=False)
    still.show(fig, spec, f"{spec.alt} {', '.join(words)}.", legend=True)


def _dots(mine: list[tuple[str, list[float]]], place: int, kind: str) -> dict[str, Any]:
    colour = look.tokens().series[place]
    return {
        "x": [at[0] for _, at in mine],
        "y": [at[1] for _, at in mine],
        "mode": "markers",
        "name": f"{still.label(kind)}: {number.figure(len(mine))}",
        "marker": {
            "symbol": _SYMBOLS[place % len(_SYMBOLS)],
            "size": 9,
            "color": colour,
            "line": {"width": 2 if "thin" in _SYMBOLS[place] else 0, "color": colour},
        },
        "text": [f"{name}: {still.label(kind)}" for name, _ in mine],
        "hovertemplate": "%{text}<extra></extra>",
    }
