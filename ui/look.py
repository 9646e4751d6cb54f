"""Tokens of the look: the colours that Streamlit's theme cannot carry into figures."""

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Colours of one theme, as hex strings."""

    ink: str
    muted: str
    paper: str
    panel: str
    line: str
    grid: str
    pine: str
    band: str
    series: tuple[str, ...]
    signal: str = "#F2B632"


LIGHT = Tokens(
    ink="#15211E",
    muted="#4E5B56",
    paper="#FDFDFB",
    panel="#F1F4EE",
    line="#CDD5CB",
    grid="#E6EAE3",
    pine="#0B6B57",
    band="#DFE5DC",
    series=(
        "#2943C2",
        "#C35F36",
        "#2B857C",
        "#8E158C",
        "#B98B00",
        "#009ECF",
        "#621713",
        "#4D4D4D",
    ),
)
DARK = Tokens(
    ink="#E9EEEA",
    muted="#AAB6B0",
    paper="#0F1715",
    panel="#18221F",
    line="#34423D",
    grid="#22302B",
    pine="#2E9E84",
    band="#26332E",
    series=(
        "#6389FF",
        "#F77F00",
        "#46D193",
        "#E59BE9",
        "#F3E771",
        "#A8EBFB",
        "#9E511E",
        "#808080",
    ),
)


def theme_name() -> str:
    """Return `light` or `dark`, whichever the visitor sees."""
    return "dark" if st.context.theme.type == "dark" else "light"


def tokens() -> Tokens:
    """Return the colours of the theme the visitor sees."""
    return DARK if theme_name() == "dark" else LIGHT


def act(label: str) -> str:
    """Return the label of an enabled filled button.

    Streamlit writes white on the primary colour, which the dark theme's pine cannot carry, so the
    theme gives up its orange text colour for "text on pine". Words only: no icon, no shortcut.
    """
    return f":orange[{label}]"
