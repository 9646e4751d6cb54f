"""The page of the exam's objectives: one list in three orders, or one guide."""

from collections.abc import Iterable

import streamlit as st

from course.load import load
from course.model import Course, Objective
from ui import guide, origins, same_page, setting_widget, state, way_orders


def show() -> None:
    """Draw the guide that the address names; without one, or for an unknown one, the list."""
    course, asked = load(), state.read().objective
    if asked in course.guides:
        guide.show(course, course.guides[asked])
    else:
        _list(course, asked)
    origins.show()
    same_page.show("objectives", asked or "")


def link(objective: Objective) -> None:
    """Draw the way to the guide of one objective."""
    st.page_link(
        state.page_path("objectives"),
        label=f"**{objective.id}** {objective.title}",
        icon=":material/article:",
        query_params={"objective": objective.id} | state.learner_query(),
    )


def _list(course: Course, unknown: str | None) -> None:
    st.title("Objectives", anchor=False)
    if unknown:
        name = setting_widget.quoted(unknown)
        message = f"There is no objective {name}; the {len(course.objectives)} of the exam are:"
        st.warning(message, icon=":material/search_off:")
    st.markdown(
        "What NVIDIA's NCA-AIIO exam asks for, in our own words. Each objective has a guide: what "
        "it means, what is easily mixed up, and which lab to run.",
        width=720,
    )
    chosen = st.segmented_control(
        "Order of the list", list(_ORDERS), default="By exam domain", required=True, key="by"
    )
    _ORDERS[chosen](course)


def _by_domain(course: Course) -> None:
    for domain in course.domains.values():
        st.header(f"{domain.id} {domain.title}", anchor=False)
        _links(each for each in course.objectives.values() if each.domain == domain.id)


def _by_stage(course: Course) -> None:
    st.markdown("Some objectives belong to more than one stage.", width=720)
    for stage in course.stages.values():
        with st.container(border=True):
            way_orders.to_stage(stage)
            _links(course.objectives[each] for each in stage.objectives)


def _in_reading_order(course: Course) -> None:
    st.markdown(
        "From top to bottom; each objective stands where the six stages first come to it.",
        width=720,
    )
    asked = (each for stage in course.stages.values() for each in stage.objectives)
    _links(course.objectives[each] for each in dict.fromkeys([*asked, *course.objectives]))


def _links(objectives: Iterable[Objective]) -> None:
    with st.container(gap="xxsmall"):
        for each in objectives:
            link(each)


_ORDERS = {
    "By exam domain": _by_domain,
    "By stage": _by_stage,
    "In reading order": _in_reading_order,
}
