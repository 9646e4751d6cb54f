"""The first page: the promise, one ticket, the route, and where you left off."""

import streamlit as st

from ui import home_route, left_off, machine, origins, promise, ticket, tour, who

left, right = st.columns([7, 5], gap="large", vertical_alignment="center")
with left:
    promise.show()
    machine.show()
    who.show()
with right:
    ticket.show()
st.space("small")
tour.show()
home_route.show()
left_off.show()
origins.show()
