"""The common manner of still pictures: axes in ink, few lines, no legend, no tool bar."""

import plotly.graph_objects as go
import streamlit as st

from course.lesson import PictureSpec
from ui import look


def show(
    fig: go.Figure, spec: PictureSpec, alt: str, *, x_title: str = "", y_title: str = ""
) -> None:
    """Dress the figure and draw it with its text alternative."""
    colours = look.tokens()
    axis = {
        "gridcolor": colours.grid,
        "zeroline": False,
        "linecolor": colours.ink,
        "tickfont": {"size": 13, "color": colours.muted},
        "title_font": {"size": 14, "color": colours.muted},
    }
    fig.update_layout(
        height=300,
        showlegend=False,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
        font={"color": colours.ink},
    )
    fig.update_xaxes(title_text=x_title, showgrid=False, showline=True, fixedrange=True, **axis)
    fig.update_yaxes(title_text=y_title, fixedrange=True, **axis)
    config = {"displayModeBar": False, "responsive": True}
    st.plotly_chart(fig, key=f"picture-{spec.data}", config=config, theme=None, alt=alt)


def label(name: str) -> str:
    """Return a stored name as words."""
    return name.replace("_", " ")
