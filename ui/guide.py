"""One guide: drawn like a lesson, between the guides before and after it."""

import streamlit as st

from course.guide import Guide
from course.model import Course
from ui import lesson, state


def show(course: Course, guide: Guide) -> None:
    """Draw the guide with its labs, its sources, and the ways on from it."""
    domain = course.domains[course.objectives[guide.objective].domain]
    st.title(f"{guide.objective} {guide.title}", anchor=False)
    st.caption(f"Domain {domain.id} of the exam, {domain.title}", width=720)
    _way("All objectives", {}, "arrow_upward")
    lesson.show(guide)
    st.caption(f"Last held against its sources on {guide.reviewed.isoformat()}.", width=720)
    _beside(course, guide)


def _beside(course: Course, guide: Guide) -> None:
    """Draw the ways to the guide before and to the one after, where there are such."""
    order = list(course.guides.values())
    place = order.index(guide)
    with st.container(border=True, width=720, gap="xxsmall"):
        for before in order[max(place - 1, 0) : place]:
            _to(before, "Previous", "arrow_back")
        for after in order[place + 1 : place + 2]:
            _to(after, "Next", "arrow_forward")


def _to(guide: Guide, word: str, icon: str) -> None:
    _way(f"{word}: **{guide.objective}** {guide.title}", {"objective": guide.objective}, icon)


def _way(label: str, query: dict[str, str], icon: str) -> None:
    st.page_link(
        state.page_path("objectives"),
        label=label,
        icon=f":material/{icon}:",
        query_params=query | state.learner_query(),
    )
