"""The glossary: every word of the course in one plain sentence, to be searched, with its uses."""

from functools import lru_cache
from pathlib import Path

import streamlit as st

from course.lesson import LabLesson
from course.load import load
from course.model import Term
from course.terms import Page, uses
from ui import state

_HERE = Path(__file__).parent
_draw = st.components.v2.component(
    "stagecoach_glossary",
    html='<div class="top"></div><div class="list"></div>',
    css=(_HERE / "glossary.css").read_text(encoding="utf-8"),
    js=(_HERE / "glossary.js").read_text(encoding="utf-8"),
)


def show() -> None:
    """Draw the search field, the letters and the words; a click goes to a lesson that uses one."""
    st.title("Glossary", anchor=False)
    st.markdown("Every word this course uses, in one plain sentence.", width=720)
    find, learner = st.query_params.get("find", "")[:40], state.learner_query()
    data = {"find": find, "learner": learner.get("learner", ""), "terms": _rows()}
    told = _draw(data=data, key="glossary", on_go_change=lambda: None, on_find_change=lambda: None)
    if told.find is not None and told.find != find:
        state.put({"find": told.find or None})
    if told.go:
        page, _, lab = told.go.partition("/")
        st.switch_page(state.page_path(page), query_params=({"lab": lab} if lab else {}) | learner)


@lru_cache(maxsize=1)
def _rows() -> list[dict[str, object]]:
    """Each term as the component takes it, with the lessons that use it."""
    course = load()
    used = uses(course)
    terms = sorted(course.terms.values(), key=lambda term: term.term.lower())
    return [
        {
            "term": term.term,
            "also": _other_names(term),
            "definition": term.definition,
            "uses": [_use(page) for page in used[term.id]],
        }
        for term in terms
    ]


def _other_names(term: Term) -> list[str]:
    """A term's other names, without those that are its plural."""
    plurals = {f"{term.term}{ending}" for ending in ("s", "es")}
    return [name for name in term.also if name not in plurals]


def _use(page: Page) -> dict[str, str]:
    if isinstance(page, LabLesson):
        return {"go": f"{page.stage}/{page.id}", "name": f"Lab {page.number}, {page.title}"}
    return {"go": page.id, "name": f"Stage {page.number}, {page.short}"}
