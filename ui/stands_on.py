"""The quiet line that says what a lab stands on: tickets and model; and the wish to do without."""

import streamlit as st

from trainer import chain
from trainer.chain import Inputs
from trainer.runs import Run, find, runs_folder
from ui import journey, number, state
from ui.lab_states import Opened

_ALONE = "Use the usual tickets and a fresh model"
_ALONE_DATA = "Use the usual tickets"


def show(opened: Opened) -> None:
    """Draw the line for the run that is shown, else for the next one, then with its switch."""
    if opened.lesson.id not in chain.STANDING_LABS:
        return
    if opened.run is not None:
        _line(Inputs(data=opened.run.config.data, parent=opened.run.config.parent))
        return
    found = chain.inputs(runs_folder(), state.read().learner, opened.lesson.id)
    if found == Inputs():
        return
    is_alone, key = _is_alone(opened.lesson.id), _key(opened.lesson.id)
    _line(Inputs() if is_alone else found)
    wants = st.toggle(_ALONE if found.parent else _ALONE_DATA, is_alone, key=key)
    state.put({"alone": "yes" if wants else None})


def inputs(lab: str) -> Inputs:
    """Return what the next run stands on, as the page says it now."""
    return Inputs() if _is_alone(lab) else chain.inputs(runs_folder(), state.read().learner, lab)


def _is_alone(lab: str) -> bool:
    return bool(st.session_state.get(_key(lab), state.read().alone))


def _key(lab: str) -> str:
    return f"alone-{lab}"


def _line(found: Inputs) -> None:
    told = []
    if found.data:
        told.append(tickets(found.data))
    if found.parent:
        told.append(_model(found.parent))
    words = f"Stands on: {'; '.join(told)}." if told else "Stands on the usual tickets alone."
    st.markdown(f":small[{words}]")


def tickets(data: str) -> str:
    """Return a data set and its split in words."""
    digest, _, split = data.partition(".")
    return f"tickets `{digest[:4]}\N{HORIZONTAL ELLIPSIS}`, split by {split or 'device'}"


def _model(run_id: str) -> str:
    run = _find(run_id)
    if run is None:
        return f"model of run `{run_id}`, which is gone"
    right = journey.accuracy(run)
    return f"model of run `{run_id}`" + (f", {number.figure(right)} right (M)" if right else "")


def _find(run_id: str) -> Run | None:
    try:
        return find(runs_folder(), run_id)
    except ValueError:
        return None
