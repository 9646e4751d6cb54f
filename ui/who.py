"""Who is learning: a name that keeps runs apart, asked in passing and changed at any time."""

import streamlit as st

from trainer.learner import LOCAL, clean
from ui import state

_FIELD, _PROBLEM = "who-field", "who-problem"
_LONGEST = 80  # letters of what is typed


def show() -> None:
    """Draw a small popover with the name and the field to change it."""
    name = state.read().learner
    with st.popover(f"Learner: {name}", icon=":material/person:", type="tertiary"):
        st.markdown(
            "**Who is learning?** Your runs, your place in the line and your model are kept under "
            "this name. There is no password: anyone who knows a name can use it. On a machine of "
            f"your own, `{LOCAL}` is all you need.",
            width=340,
        )
        with st.form("who", border=False):
            st.text_input(
                "Name",
                key=_FIELD,
                max_chars=_LONGEST,
                placeholder=name,
                help="Letters a to z, digits and hyphens; what is no letter becomes a hyphen.",
            )
            st.form_submit_button("Use this name", on_click=_take)
        problem = st.session_state.pop(_PROBLEM, "")
        if problem:
            st.markdown(problem)


def _take() -> None:
    typed = str(st.session_state[_FIELD] or "")
    name = clean(typed)
    st.session_state[_FIELD] = ""
    if not name:
        st.session_state[_PROBLEM] = "A name needs a letter or a digit. Nothing was changed."
        return
    state.call(name)
    for stale in ("show_learner", "ticked"):  # what the Runs page showed to the one before
        st.session_state.pop(stale, None)
        st.query_params.pop(stale, None)
