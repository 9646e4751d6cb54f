"""The glossary: every word of the course, in one plain sentence, to be searched."""

import streamlit as st

from course.load import load
from course.model import Term


def show() -> None:
    """Draw the search field and the words that match it."""
    st.title("Glossary", anchor=False)
    st.markdown("Every word this course uses, in one plain sentence.", width=720)
    wanted = st.text_input("Search", key="find", bind="query-params", width=720) or ""
    terms = sorted(load().terms.values(), key=lambda term: term.term.lower())
    found = [term for term in terms if _matches(term, wanted.strip().lower())]
    if not found:
        st.markdown(f"No word here holds *{wanted[:40]}*. Clear the field to see all of them.")
    for term in found:
        also = f" (also: {', '.join(term.also)})" if term.also else ""
        st.markdown(f"**{term.term}**{also}  \n{term.definition}", width=720)


def _matches(term: Term, wanted: str) -> bool:
    return any(wanted in text.lower() for text in (term.term, term.definition, *term.also))
