"""Looks an upload through before anything runs: types, roles, classes, gaps, copies, leaks."""

from dataclasses import replace

import streamlit as st

from trainer.errors import StagecoachError
from trainer.owndata import checks, making
from trainer.owndata.columns import KINDS, Column
from trainer.owndata.roles import Roles
from trainer.owndata.said import quoted
from trainer.runs import runs_folder
from ui import number, own_held, own_roles, state
from ui.look import act
from ui.own_held import Held

_OPEN = "own-open"


def open_it() -> None:
    """Let the next drawing show the dialog."""
    st.session_state[_OPEN] = True


def show() -> None:
    """Draw the dialog while it is open and something is held."""
    held = own_held.get(state.read().learner)
    if held is not None and st.session_state.get(_OPEN):
        _dialog(held.name)


def _close() -> None:
    st.session_state[_OPEN] = False


@st.dialog("Your file, before anything runs", width="large", on_dismiss=_close)
def _dialog(name: str) -> None:
    held = own_held.get(state.read().learner)
    if held is None:
        st.markdown("This file was put away. Choose it again.")
        return
    st.markdown(
        f"**{quoted(name)}**: {number.text(len(held.sheet), 'rows', 'M')} in "
        f"{number.text(len(held.sheet.names), 'columns', 'M')}."
    )
    _notes([*held.sheet.notes, *(note for column in held.guessed for note in column.notes)])
    _types(held)
    chosen = own_roles.show(held)
    is_good = _found(held, chosen)
    with st.container(horizontal=True):
        label = act("Use these") if is_good else "Use these"
        if st.button(label, type="primary", disabled=not is_good):
            _use(held, chosen)
        st.button("Put the file away", type="tertiary", on_click=_put_away)


def _notes(notes: list[str]) -> None:
    if notes:
        st.markdown("\n".join(f"- {number.sentence(note, 'M')}" for note in notes))


def _types(held: Held) -> None:
    """Draw what each column seems to hold, and a way to correct it."""
    rows = [_line(column) for column in held.kinds]
    st.dataframe(rows, hide_index=True, height=min(38 + 36 * len(rows), 300))
    left, right = st.columns(2)
    with left:
        name = st.selectbox("Correct the type of", held.sheet.names, key="own-column")
    column = next(each for each in held.kinds if each.name == name)
    with right:
        kind = st.selectbox(
            "It holds", list(KINDS), list(KINDS).index(column.kind),
            format_func=KINDS.__getitem__, key=f"own-kind-{name}-{column.kind}",
        )  # fmt: skip
    if kind != column.kind:
        own_held.correct(state.read().learner, name, kind)
        st.rerun(scope="fragment")


def _line(column: Column) -> dict[str, str]:
    return {
        "Column": column.name,
        "Holds": KINDS[column.kind],
        "For example": ", ".join(column.examples),
        "Different": number.figure(column.distinct),
        "Missing": number.figure(column.missing),
    }


def _found(held: Held, chosen: Roles) -> bool:
    """Draw what was found; returns whether a data set can be made of it."""
    try:
        found = checks.look(held.sheet, held.kinds, chosen)
    except StagecoachError as error:
        st.error(str(error), icon=":material/block:")
        return False
    for leak in found.leaks:
        st.warning(checks.leak_sentence(leak), icon=":material/water_drop:")
    _notes(checks.sentences(replace(found, leaks=())))
    return True


def _use(held: Held, chosen: Roles) -> None:
    learner = state.read().learner
    source = making.Source(learner=learner, file=held.name)
    folder = making.make(runs_folder(), held.sheet, held.kinds, chosen, source)
    own_held.put_away(learner)
    _close()
    state.put({"data": folder.name})
    st.rerun()


def _put_away() -> None:
    own_held.put_away(state.read().learner)
    _close()
