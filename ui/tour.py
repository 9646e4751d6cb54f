"""Ninety seconds on Home: one click leads a small job through all stages; each leg as it goes."""

import streamlit as st

from course.load import load
from trainer import tour
from trainer.dispatch import client
from trainer.errors import BadState, UnknownRun
from trainer.runs import find, runs_folder
from trainer.tour import Leg, Tour
from ui import number, state
from ui.look import act

_TICK_S = 1.0
_WORDS = {"waiting": "Not yet", "running": "Now", "done": "Done", "failed": "Failed"}
_ICONS = {
    "waiting": ":material/radio_button_unchecked:",
    "running": ":material/pending:",
    "done": ":material/check_circle:",
    "failed": ":material/error:",
}


def button() -> None:
    """Draw the one filled button of Home; while a tour is on its way says so."""
    told = opened()
    if told is not None and told.is_moving:
        st.button("The tour is on its way", disabled=True, key="tour-on-its-way")
    else:
        label = act("See it all in ninety seconds")
        st.button(label, type="primary", key="ninety", on_click=_start)
    problem = st.session_state.pop("tour-problem", "")
    if problem:
        st.warning(problem, icon=":material/block:")


def opened() -> Tour | None:
    """Return the tour that the address names, else the learner's own while it is on its way."""
    named = st.query_params.get("tour", "")
    if named:
        try:
            return tour.find(runs_folder(), named)
        except UnknownRun:
            return None
    own = tour.newest(runs_folder(), state.read().learner)
    return own if own is not None and own.is_moving else None


def figures(told: Tour | None) -> dict[str, str]:
    """Return what each stage has to show so far, the last done leg of a stage first."""
    if told is None:
        return {}
    return {leg.stage: f"{leg.figure} ({leg.origin})" for leg in told.legs if leg.state == "done"}


def show() -> None:
    """Draw the legs of the opened tour; while it goes on it looks again every second."""
    told = opened()
    if told is None:
        return
    with st.container(border=True):
        st.markdown("### Ninety seconds, all six stages", anchors=False)
        every = _TICK_S if told.is_moving else None
        st.fragment(_draw, run_every=every)(told, told.is_moving, _done(told))


def _start() -> None:
    try:
        begun = tour.start(runs_folder(), state.read().learner)
        client.ensure(runs_folder())
        state.put({"tour": begun.id})
    except BadState as error:
        st.session_state["tour-problem"] = str(error)


def _draw(told: Tour, was_moving: bool, had_done: int) -> None:
    legs = told.legs
    if was_moving and (not told.is_moving or _done(told) > had_done):
        st.rerun()  # the whole page: a station of the route lights up
    for leg in legs:
        _row(leg)
    st.markdown(_outcome(told, legs))


def _done(told: Tour) -> int:
    return sum(leg.state == "done" for leg in told.legs)


def _row(leg: Leg) -> None:
    stage = load().stages[leg.stage].short
    found = f": **{leg.figure}** {number.chip(leg.origin)}" if leg.figure else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"{_ICONS[leg.state]} {_WORDS[leg.state]}. {leg.title} ({stage}){found}",
            width="content",
        )
        if leg.run:
            _link(leg, leg.run)
    if leg.text and leg.state == "failed":
        st.error(leg.text, icon=":material/error:")
    elif leg.text and leg.name == "answer":
        st.markdown(f":small[{leg.text}]")


def _link(leg: Leg, run_id: str) -> None:
    try:
        lesson = load().labs.get(find(runs_folder(), run_id).config.lab)
    except UnknownRun:  # deleted meanwhile
        return
    if lesson is not None:
        st.page_link(
            state.page_path(lesson.stage),
            label=f"Open its run in lab {lesson.number}",
            query_params={"lab": lesson.id, "run": run_id} | state.learner_query(),
        )


def _outcome(told: Tour, legs: list[Leg]) -> str:
    took = number.figure(told.seconds, "s")
    if told.is_moving:
        return f"On its way for {took}. You may leave this page; it goes on."
    if all(leg.state == "done" for leg in legs):
        return (
            f"**All of it took {took}** {number.chip('M')}. Every leg was real, on small settings. "
            "Open a run to see its curve, or begin with stage 1 and do it with your own hands."
        )
    return f"**The tour stopped after {took}.** What it had made is kept. The button starts anew."
