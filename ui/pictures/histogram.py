"""How often each size came: groups beside each other, and what was expected as hollow marks."""

from typing import Any

import plotly.graph_objects as go

from course.lesson import PictureSpec
from ui import look, number
from ui.pictures import still


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"groups": [{"name", "shares": {size: share}}, ...], "expected": {size: share}}`."""
    colours, fig, words = look.tokens(), go.Figure(), []
    for group, colour in zip(value["groups"], (colours.muted, colours.pine), strict=False):
        shares = group["shares"]
        words.append(_words(group["name"], shares))
        fig.add_bar(
            x=[int(size) for size in shares],
            y=list(shares.values()),
            name=f"{group['name']} (M)",
            marker_color=colour,
            customdata=[number.figure(100 * share, "%") for share in shares.values()],
            hovertemplate="%{x} rows: %{customdata} of the batches (M)<extra></extra>",
        )
    if value["expected"]:
        fig.add_scatter(
            x=[int(size) for size in value["expected"]],
            y=list(value["expected"].values()),
            mode="markers",
            name="the queue's clock (C)",
            marker={"symbol": "circle-open", "size": 9, "color": colours.ink, "line": {"width": 2}},
            hoverinfo="skip",
        )
        words.append(_words("expected at the latter", value["expected"]))
    fig.update_xaxes(title_text="rows in a batch", dtick=_every(value))
    fig.update_yaxes(tickformat=".0%", rangemode="tozero")
    fig.update_layout(barmode="group", bargap=0.15)
    still.show(
        fig, spec, f"{spec.alt} {'; '.join(words)}.", y_title="batches", legend=True, legend_y=-0.32
    )


def _every(value: dict[str, Any]) -> int:
    shown = [group["shares"] for group in value["groups"]]
    largest = max(int(size) for shares in (*shown, value["expected"]) for size in shares)
    return max(1, -(-largest // 8))


def _words(name: str, shares: dict[str, float]) -> str:
    common = sorted(shares, key=lambda size: -shares[size])[:3]
    told = ", ".join(f"{number.figure(100 * shares[size], '%')} of {size}" for size in common)
    return f"{name}: {told}"
