"""What the same bytes would take over links that are not here: computed from documented rates."""

from typing import Any

import streamlit as st

from course.lesson import PictureSpec
from course.load import load
from ui import number

# Quoted figure: what the link is called, and what turns its rate into GB/s in one direction.
_LINKS = {
    "nvlink_rate": ("NVLink of one H200", 1 / 2),
    "network_port": ("NDR InfiniBand, one port", 1 / 8),
    "ethernet_port": ("Ethernet, one port", 1 / 8),
}
_GB = 1e9


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"bytes": sent by a rank, "ms": measured here}` beside the links of the course."""
    size = value["bytes"]
    rows = [("this machine's sockets", "\N{EN DASH}", number.text(1000 * value["ms"], "µs", "M"))]
    for name, (words, factor) in _LINKS.items():
        rate = load().figures[name]
        us = 1e6 * size / (rate.value * factor * _GB)
        documented = number.text(rate.value, rate.unit, rate.origin)
        rows.append((words, documented, number.text(us, "µs", "C")))
    sent = number.text(size / 2**20, "MiB", "M")
    table = dict(zip(("over", "rate", "time"), map(list, zip(*rows, strict=True)), strict=True))
    st.markdown(f":small[A rank sends {sent}; time is size over rate in one direction.]")
    st.table(table, border="horizontal", hide_index=True)
