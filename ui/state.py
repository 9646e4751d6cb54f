"""What a visitor has chosen, as one typed object that lives in the address.

A reload, a second tab or another browser with the same address sees the same thing. Settings of a
lab stand in the address under their own names; everything else under the names below.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from trainer.learner import LOCAL, clean
from trainer.runs import Run

OWN_NAMES = ("lab", "run", "learner", "said", "sure", "step", "tour", "alone", "data", "objective")
NO_IDEA = "none"


@dataclass(frozen=True, kw_only=True)
class State:
    """The address in words: `said` and `sure` are the planted prediction, `settings` raw text.

    `step` is the step that a click on the curve has chosen to look into.
    `data` is the hash of the learner's own data set that the next run learns from.
    `objective` is the one of the exam whose guide is open.
    `alone`: the next run stands on nothing, neither on the learner's tickets nor on their model.
    """

    lab: str | None = None
    run: str | None = None
    learner: str = LOCAL
    said: str | None = None
    sure: str | None = None
    step: int | None = None
    alone: bool = False
    data: str | None = None
    objective: str | None = None
    settings: dict[str, str] = field(default_factory=dict)


def read() -> State:
    """Return what the address says now."""
    query = {name: str(value) for name, value in st.query_params.items()}
    return State(
        lab=query.get("lab"),
        run=query.get("run"),
        learner=clean(query.get("learner", "")) or LOCAL,
        said=query.get("said") or None,
        sure=query.get("sure"),
        step=int(step) if (step := query.get("step", "")).isdecimal() else None,
        alone=query.get("alone") == "yes",
        data=query.get("data") or None,
        objective=query.get("objective") or None,
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
    """Carry the learner's name along: links of the menu leave the rest of an address behind.

    A name in the address that is none is put right there; where nothing of it is left, the page
    says so.
    """
    asked, name = st.query_params.get("learner"), read().learner
    if asked is None:
        put({"learner": kept} if (kept := st.session_state.get("learner")) else {})
        return
    if not clean(asked):
        st.warning(f"The name in the address has no letter or digit, so you are `{LOCAL}` here.")
    call(name)


def call(learner: str) -> None:
    """Let the visitor be this learner from here on; the usual one needs no word in the address."""
    st.session_state["learner"] = None if learner == LOCAL else learner
    put({"learner": st.session_state["learner"]})


def is_own(run: Run) -> bool:
    """Whether the run is the visitor's own: asked again at each action, whatever a page showed."""
    return run.config.learner == read().learner


def page_path(name: str) -> str:
    """Return the path of a page as Streamlit wants it from `ui/shell.py`."""
    return f"../pages/{name}.py"
