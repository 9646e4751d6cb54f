"""What a visitor has chosen, as one typed object that lives in the address.

A reload, a second tab or another browser with the same address sees the same thing. Settings of a
lab stand in the address under their own names; everything else under the names below.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

OWN_NAMES = ("lab", "run", "learner", "said", "sure")
NO_IDEA = "none"
LOCAL = "local"  # the learner of a machine that only one person uses
_LEARNER = re.compile(r"[\w.@ -]{1,40}")


@dataclass(frozen=True, kw_only=True)
class State:
    """The address in words: `said` and `sure` are the planted prediction, `settings` raw text."""

    lab: str | None = None
    run: str | None = None
    learner: str = LOCAL
    said: str | None = None
    sure: str | None = None
    settings: dict[str, str] = field(default_factory=dict)


def read() -> State:
    """Return what the address says now."""
    query = {name: str(value) for name, value in st.query_params.items()}
    learner = query.get("learner", "")
    return State(
        lab=query.get("lab"),
        run=query.get("run"),
        learner=learner if _LEARNER.fullmatch(learner) else LOCAL,
        said=query.get("said") or None,
        sure=query.get("sure"),
        settings={name: value for name, value in query.items() if name not in OWN_NAMES},
    )


def put(changes: Mapping[str, str | None]) -> None:
    """Write names into the address; `None` takes a name out."""
    for name, value in changes.items():
        if value is None:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != value:
            st.query_params[name] = value


def learner_query() -> dict[str, str]:
    """Return the part of the address that goes along to every other page."""
    learner = read().learner
    return {} if learner == LOCAL else {"learner": learner}


def keep_learner() -> None:
    """Carry the learner's name along: links of the menu leave the rest of an address behind."""
    learner = read().learner
    if learner != LOCAL:
        st.session_state["learner"] = learner
    elif "learner" in st.session_state and "learner" not in st.query_params:
        put({"learner": st.session_state["learner"]})


def page_path(name: str) -> str:
    """Return the path of a page as Streamlit wants it from `ui/shell.py`."""
    return f"../pages/{name}.py"
