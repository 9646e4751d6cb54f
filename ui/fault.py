"""What a visitor reads when a page fails: our own sentence, never a traceback."""

import streamlit as st


def show(_error: Exception) -> bool:
    """Draw the sentence; True tells Streamlit that nothing else needs to be shown.

    The traceback goes to the server's log, where Streamlit writes it itself.
    """
    st.error(
        "**This page could not be drawn.** Load it again; if it happens once more, the server's "
        "log names the place. Your runs are kept and go on.",
        icon=":material/error:",
    )
    return True
