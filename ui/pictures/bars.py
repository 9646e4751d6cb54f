"""Bars with bands: one bar a name, its height the mean, its whisker the spread over seeds."""

from typing import Any

import plotly.graph_objects as go

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"unit": str, "bars": [{"name", "value", "low", "high"}, ...]}`."""
    colours, bars, unit = look.tokens(), value["bars"], value.get("unit", "")
    names = [still.label(bar["name"]) for bar in bars]
    heights = [bar["value"] for bar in bars]
    above = [bar["high"] - bar["value"] for bar in bars]
    below = [bar["value"] - bar["low"] for bar in bars]
    fig = go.Figure()
    fig.add_bar(
        x=names,
        y=heights,
        marker_color=[colours.muted if place == 0 else colours.pine for place in range(len(bars))],
        width=0.6,
        error_y={
            "type": "data",
            "symmetric": False,
            "array": above,
            "arrayminus": below,
            "color": colours.ink,
            "thickness": 2,
            "width": 8,
        },
        customdata=[number.figure(height, unit) for height in heights],
        hovertemplate="%{x}: %{customdata} (M)<extra></extra>",
    )
    words = "; ".join(_words(bar, unit) for bar in bars)
    still.show(fig, spec, f"{spec.alt} {words}.", y_title=f"{unit} (M)")


def _words(bar: dict[str, Any], unit: str) -> str:
    low, high = number.figure(bar["low"]), number.figure(bar["high"])
    return f"{still.label(bar['name'])} {number.figure(bar['value'], unit)}, from {low} to {high}"
