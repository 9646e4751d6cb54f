"""A learner's own data in the settings: choose a data set, bring a file, delete one."""

from typing import Any

import streamlit as st

from trainer.errors import StagecoachError
from trainer.owndata import lines, reading, standing
from trainer.runs import runs_folder
from ui import number, own_choice, own_held, own_look, state
from ui.lab_states import Opened

_USUAL, _PROBLEM = "", "own-problem"
_WHAT = (
    "A CSV file with a line of names, one row a case: a text or some columns to read, and one "
    "label to name. It stays in the runs folder on this machine."
)


def show(opened: Opened) -> None:
    """Draw the folded part; nothing for a lab that cannot use it."""
    if opened.lesson.id not in own_choice.LABS:
        return
    mine = own_choice.mine()
    is_open = own_choice.chosen() is not None or own_held.get(state.read().learner) is not None
    with st.expander("Your own data", icon=":material/table:", expanded=is_open):
        _say_foreign(mine)
        if mine:
            _choose(mine)
        _bring()
        for card in mine:
            _row(card)
    own_look.show()


def _say_foreign(mine: list[dict[str, Any]]) -> None:
    wanted = state.read().data
    if wanted and wanted not in [card["id"] for card in mine]:
        st.warning(
            "The data set in the address is not one of yours, or it was deleted. The synthetic "
            "tickets are used.",
            icon=":material/table:",
        )


def _choose(mine: list[dict[str, Any]]) -> None:
    cards = {card["id"]: card for card in mine}
    options, now = [_USUAL, *cards], state.read().data
    picked = st.radio(
        "The next run learns from",
        options,
        index=options.index(now) if now in cards else 0,
        format_func=lambda each: _title(cards[each]) if each else "The synthetic tickets",
        key=f"own-choice-{now}-{len(mine)}",
    )
    if (picked or None) != (now if now in cards else None):
        state.put({"data": picked or None})
        st.rerun()


def _title(card: dict[str, Any]) -> str:
    rows = number.figure(card["counts"]["tickets"])
    return f"{card['title']}: {rows} rows, {number.figure(len(card['causes']))} classes"


def _bring() -> None:
    learner = state.read().learner
    key = f"own-upload-{int(st.session_state.get('own-round', 0))}"
    file = st.file_uploader(
        f"A CSV file of yours, up to {number.figure(lines.MOST_BYTES >> 20)} MB and "
        f"{number.figure(reading.MOST_ROWS)} rows",
        type=["csv", "tsv", "txt"],
        help=_WHAT,
        key=key,
    )
    if file is not None:
        _read(learner, file.name, file.getvalue())
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem, icon=":material/block:")
    held = own_held.get(learner)
    if held is not None and st.button(f"Look through {held.name}", icon=":material/search:"):
        own_look.open_it()


def _read(learner: str, name: str, content: bytes) -> None:
    """Read the file once; the widget is then made anew, so that its bytes are let go."""
    st.session_state["own-round"] = int(st.session_state.get("own-round", 0)) + 1
    try:
        own_held.read(learner, name, content)
    except StagecoachError as error:
        st.session_state[_PROBLEM] = f"**{name}** was not taken. {error}"
    else:
        st.session_state[_PROBLEM] = ""
        own_look.open_it()
    st.rerun()


def _row(card: dict[str, Any]) -> None:
    with st.popover(f"Delete {card['title']}", icon=":material/delete:", type="tertiary"):
        stood = standing.runs_on(runs_folder(), card["id"], state.read().learner)
        st.markdown(
            f"{_title(card)}, kept as `{card['id']}`. {standing.sentence(stood)} There is no way "
            "back."
        )
        st.button("Delete for good", key=f"own-delete-{card['id']}", on_click=_delete, args=(card,))


def _delete(card: dict[str, Any]) -> None:
    """Whose it is, is asked again here, whatever the page showed."""
    try:
        standing.delete(runs_folder(), card["id"], state.read().learner)
    except StagecoachError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    st.session_state[_PROBLEM] = ""
    if state.read().data == card["id"]:
        state.put({"data": None})
