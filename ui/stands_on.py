"""The quiet line that says what a lab stands on: tickets and model; and the wish to do without."""

import streamlit as st

from trainer import chain
from trainer.chain import Inputs
from trainer.owndata import lacks
from trainer.owndata.said import quoted
from trainer.runs import Run, find, runs_folder
from ui import journey, number, own_choice, state
from ui.lab_states import Opened

_ALONE = "Use the usual tickets and a fresh model"
_ALONE_DATA = "Use the usual tickets"


def show(opened: Opened) -> None:
    """Draw the line for the run that is shown, else for the next one, then with its switch."""
    if opened.lesson.id not in own_choice.LABS:
        return
    if opened.run is not None:
        _of_run(opened.lesson.id, opened.run)
        return
    found = _found(opened.lesson.id)
    if found == Inputs():
        return
    is_alone, key = _is_alone(opened.lesson.id), _key(opened.lesson.id)
    _line(Inputs() if is_alone else found)
    _lacks(opened.lesson.id, None if is_alone else found.data)
    wants = st.toggle(_ALONE if found.parent else _ALONE_DATA, is_alone, key=key)
    state.put({"alone": "yes" if wants else None})


def inputs(lab: str) -> Inputs:
    """Return what the next run stands on, as the page says it now."""
    return Inputs() if _is_alone(lab) else _found(lab)


def _found(lab: str) -> Inputs:
    return own_choice.inputs(lab, chain.inputs(runs_folder(), state.read().learner, lab))


def _of_run(lab: str, run: Run) -> None:
    config = run.config
    if lab not in chain.STANDING_LABS and config.data is None:
        return
    _line(Inputs(data=config.data, parent=config.parent))
    told = run.record.samples.get("own")
    if isinstance(told, dict):
        _say(own_choice.missing(lab, told["lacks"]))


def _lacks(lab: str, data: str | None) -> None:
    """Say before a run what it cannot do with the learner's own data."""
    card = own_choice.card(data.partition(".")[0]) if data else None
    if card is not None:
        _say(own_choice.missing(lab, lacks.of(card)))


def _say(sentences: list[str]) -> None:
    if sentences:
        st.markdown(f":small[{' '.join(sentences)}]")


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
    if (own := own_choice.card(digest)) is not None:
        by = f", split {own_choice.SPLITS[split]}" if split else ""
        return f"your data {quoted(own['title'])}{by}"
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
