"""What can be done with ticked runs: open one, delete, and take a deletion back."""

import streamlit as st

from course.load import load
from trainer import tracking
from trainer.errors import StagecoachError
from trainer.runs import runs_folder
from trainer.tracking import Row
from ui import number, state

_DELETED, _PROBLEM = "runs-deleted", "runs-problem"


def show(ticked: list[Row]) -> None:
    """Draw the row of actions, and the way back right after a deletion."""
    problem = st.session_state.pop(_PROBLEM, "")
    if problem:
        st.warning(problem, icon=":material/block:")
    _undo()
    if not ticked:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(ticked) == 1:
            _open(ticked[0])
        what = "this run" if len(ticked) == 1 else f"these {number.figure(len(ticked))} runs"
        st.button(f"Delete {what}", icon=":material/delete:", on_click=_delete, args=([*ticked],))


def _open(row: Row) -> None:
    lesson = load().labs.get(row.lab)
    if lesson is None:
        return
    st.page_link(
        state.page_path(lesson.stage),
        label="Open in its lab",
        icon=":material/open_in_full:",
        query_params={"lab": row.lab, "run": row.id} | state.learner_query(),
    )


def _delete(rows: list[Row]) -> None:
    deleted = []
    for row in rows:
        try:
            tracking.delete(runs_folder(), row.id)
            deleted.append(row.id)
        except StagecoachError as error:
            st.session_state[_PROBLEM] = str(error)
    st.session_state[_DELETED] = deleted


def _undo() -> None:
    deleted: list[str] = st.session_state.get(_DELETED, [])
    if not deleted:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        what = "One run lies" if len(deleted) == 1 else f"{number.figure(len(deleted))} runs lie"
        st.markdown(f"{what} in the trash and can be taken back for seven days.", width="content")
        st.button("Undo", icon=":material/undo:", on_click=_restore, args=([*deleted],))


def _restore(names: list[str]) -> None:
    st.session_state.pop(_DELETED, None)
    for name in names:
        try:
            tracking.restore(runs_folder(), name)
        except StagecoachError as error:
            st.session_state[_PROBLEM] = str(error)
