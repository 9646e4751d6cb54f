"""The common manner of still pictures: axes in ink, few lines, no tool bar, words for each."""

import plotly.graph_objects as go
import streamlit as st

from course.lesson import PictureSpec
from ui import look

_FONT = "Atkinson Hyperlegible Next, sans-serif"


def show(
    fig: go.Figure,
    spec: PictureSpec,
    alt: str,
    *,
    y_title: str = "",
    legend: bool = False,
    legend_y: float = -0.02,
) -> None:
    """Dress the figure and draw it with its text alternative; tick labels need a lower legend."""
    colours = look.tokens()
    axis = {
        "gridcolor": colours.grid,
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,
        "linecolor": colours.ink,
        "tickfont": {"size": 13, "color": colours.muted},
        "title_font": {"size": 14, "color": colours.muted},
    }
    fig.update_layout(
        height=fig.layout.height or 300,
        showlegend=legend,
        legend={"orientation": "h", "y": legend_y, "yanchor": "top", "font": {"size": 14}},
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
        font={"color": colours.ink, "family": _FONT, "size": 14},
    )
    fig.update_xaxes(showgrid=False, showline=True, **axis)
    fig.update_yaxes(title_text=y_title, **axis)
    config = {"displayModeBar": False, "responsive": True}
    st.plotly_chart(fig, key=f"picture-{spec.data}", config=config, theme=None, alt=alt)


def label(name: str) -> str:
    """Return a stored name as words."""
    return name.replace("_", " ")
