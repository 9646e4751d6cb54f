"""Ranks on a circle, and every piece of a message that went from one to another, replayed."""

from pathlib import Path
from typing import Any

import streamlit as st

from course.lesson import PictureSpec
from ui import number

_HERE = Path(__file__).parent
_draw = st.components.v2.component(
    "stagecoach_ring",
    html=(_HERE / "ring.html").read_text(encoding="utf-8"),
    css=(_HERE / "ring.css").read_text(encoding="utf-8"),
    js=(_HERE / "ring.js").read_text(encoding="utf-8"),
)


def show(spec: PictureSpec, value: Any) -> None:
    """Draw the log of one all-reduce; it plays by itself unless the visitor wants less motion.

    `value` is `{"workers", "algorithm", "bytes", "sends": [[from, to, part, bytes, begun_ms,
    ended_ms], ...]}`.
    """
    _draw(key=f"picture-{spec.data}", data=value | {"alt": f"{spec.alt} {_words(value)}"})


def _words(value: dict[str, Any]) -> str:
    """Say what the replay shows: how many sends, how long, and what each rank sent."""
    sends, size = value["sends"], value["bytes"]
    last = max(ended for *_, ended in sends)
    each = [
        sum(send[3] for send in sends if send[0] == rank) / size for rank in range(value["workers"])
    ]
    told = ", ".join(
        f"rank {rank} sent {number.figure(share)} messages" for rank, share in enumerate(each)
    )
    return (
        f"{value['algorithm']}, a message of {number.figure(size)} bytes: "
        f"{number.figure(len(sends))} sends in {number.figure(last, 'ms')}; {told}."
    )
