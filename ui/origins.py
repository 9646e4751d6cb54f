"""The quiet note that closes every page with numbers: what the letters mean."""

import streamlit as st

from ui import number


def show() -> None:
    """Draw a small popover with the five letters in words."""
    with st.popover("Where numbers come from", icon=":material/info:", type="tertiary"):
        for letter, words in number.ORIGINS.items():
            st.markdown(f"{number.chip(letter)} {words}")
        st.markdown(":small[Only M enters a measured line. Other letters are drawn apart.]")
