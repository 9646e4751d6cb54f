"""The first page: the promise, one ticket, the route, and where you left off."""

import streamlit as st

from ui import go_on, home_route, last_runs, machine, origins, promise, ticket

left, right = st.columns([7, 5], gap="large", vertical_alignment="center")
with left:
    promise.show()
    machine.show()
with right:
    ticket.show()
st.space("small")
home_route.show()
first, second = st.columns(2, gap="medium")
with first:
    go_on.show()
with second:
    last_runs.show()
origins.show()
