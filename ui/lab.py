"""The frame of a lab in all its states: a row of controls, the chart under it, the rail beside."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from trainer.dispatch import client
from trainer.runs import Run, RunConfig, runs_folder
from ui import (
    controls,
    explain,
    failed,
    hints,
    incidents,
    kept,
    lab_before,
    lab_chart,
    lab_head,
    lab_pictures,
    lab_runs,
    noted,
    own_data,
    planted,
    predict,
    register,
    settings,
    split_choice,
    stands_on,
    state,
    verdict,
    words,
)
from ui.lab_states import Opened
from ui.settings import Chosen


def show(opened: Opened) -> None:
    """Draw a lab in the state it is in."""
    with st.container(border=True, gap="xsmall"):
        lab_head.show(opened)
        chart, rail = st.columns([62, 38], gap="medium")
        if opened.run is None:
            with rail:
                said, chosen = _before(opened)
            _left(opened, chart, said, chosen)
        else:  # the state is said first: that a click was heard must show at once
            said = opened.lesson.predict.unpack(opened.run.config.prediction)
            _left(opened, chart, said, Chosen())
            with rail:
                _rail_of_run(opened, opened.run)
        lab_pictures.show(opened)
        if opened.run is not None and opened.phase == "finished" and state.is_own(opened.run):
            _afterwards(opened, opened.run)
    hints.show(opened.lesson)
    lab_runs.show(opened)


def _left(opened: Opened, chart: DeltaGenerator, said: dict[str, Any], chosen: Chosen) -> None:
    with chart, st.container(gap="xsmall"):
        controls.show(opened, lambda: _submit(opened, chosen))
        lab_chart.show(opened, said, chosen)


def _before(opened: Opened) -> tuple[dict[str, Any], Chosen]:
    """Draw the rail while there is no run; returns what is said so far and what is set."""
    chosen = Chosen()
    head, below = st.container(), st.container()
    if opened.info is not None:
        with below:
            st.markdown("### Settings", anchors=False)
            chosen = settings.show(opened.info)
            own_data.show(opened)
            stands_on.show(opened)
    with head:
        lab_before.show(opened)
        said = _prediction(opened, chosen)
    return said, chosen


def _prediction(opened: Opened, chosen: Chosen) -> dict[str, Any]:
    found = planted.read(opened.lesson, opened.info)
    if found.is_spoilt:
        st.warning(planted.SPOILT, icon=":material/flag:")
    if not found.is_there:
        return predict.show(opened.lesson, chosen.settings)
    packed = found.packed
    st.markdown("### You said", anchors=False)
    st.markdown(words.said(opened.lesson, packed, state.read().sure))
    if st.button("Change it", type="tertiary", icon=":material/undo:"):
        state.put({"said": None, "sure": None})
        st.rerun()
    return opened.lesson.predict.unpack(packed)


def _rail_of_run(opened: Opened, run: Run) -> None:
    match opened.phase:
        case "finished":
            verdict.show(opened, run)
        case "failed":
            failed.show(run)
        case _:
            kept.show(opened, run)
    stands_on.show(opened)


def _submit(opened: Opened, chosen: Chosen) -> Run:
    view, now = state.read(), chosen.now()
    prediction = planted.read(opened.lesson, opened.info).packed
    found = stands_on.inputs(opened.lesson.id)
    return client.submit(
        runs_folder(),
        RunConfig(
            lab=opened.lesson.id,
            preset=now.preset,
            settings=now.settings,
            seed=now.seed,
            learner=view.learner,
            data=found.data,
            parent=found.parent,
            prediction=prediction,
            confidence=view.sure if prediction is not None else None,
        ),
    )


def _afterwards(opened: Opened, run: Run) -> None:
    split_choice.show(run)
    st.divider()
    left, right = st.columns(2, gap="large")
    with left:
        explain.show(opened.lesson, run)
    with right:
        noted.show(run)
    register.show(run)
    incidents.show(opened.lesson, run)
