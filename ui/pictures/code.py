"""A text for another program, to be read and copied."""

from typing import Any

import streamlit as st

from course.lesson import PictureSpec


def show(_spec: PictureSpec, value: Any) -> None:
    """Draw `{"text": str, "language": str}`."""
    st.code(value["text"], language=value["language"], wrap_lines=True)
