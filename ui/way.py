"""The page of the whole way: the picture, then its list by stage, by exam or in reading order."""

import streamlit as st

from course.load import load
from ui import lesson, way_orders, way_picture

_ORDERS = {
    "By stage": way_orders.by_stage,
    "By exam objective": way_orders.by_objective,
    "In reading order": way_orders.in_reading_order,
}


def show() -> None:
    """Draw the page."""
    way = load().way
    st.title(way.title, anchor=False)
    st.markdown(way.summary, width=720)
    way_picture.show(way)
    st.space("small")
    lesson.show(way)
    chosen = st.segmented_control(
        "Order of the list",
        list(_ORDERS),
        default="By stage",
        required=True,
        key="order",
        bind="query-params",
    )
    _ORDERS[chosen](load())
