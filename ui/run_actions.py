"""What can be done with ticked runs: open one, delete, and take a deletion back."""

import streamlit as st

from course.load import load
from trainer import registry, tracking
from trainer.errors import BadState, StagecoachError
from trainer.runs import find, runs_folder
from trainer.tracking import Row
from ui import number, own, state

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
        mine = [row for row in ticked if row.learner == state.read().learner]
        if not mine:
            st.markdown("Only its own learner can delete a run.", width="content")
            return
        what = "this run" if len(mine) == 1 else f"these {number.figure(len(mine))} runs"
        if len(mine) < len(ticked):
            what = "your own run" if len(mine) == 1 else f"your {number.figure(len(mine))} runs"
        st.button(f"Delete {what}", icon=":material/delete:", on_click=_delete, args=([*mine],))


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
            _must_be_own(row.id)
            tracking.delete(runs_folder(), row.id)
            deleted.append(row.id)
        except StagecoachError as error:
            st.session_state[_PROBLEM] = str(error)
    st.session_state[_DELETED] = deleted


def _must_be_own(run_id: str) -> None:
    run = find(runs_folder(), run_id)
    if not state.is_own(run):
        raise BadState(f"{own.watching(run)} Only {run.config.learner} can delete it.")


def _undo() -> None:
    deleted: list[str] = st.session_state.get(_DELETED, [])
    if not deleted:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        what = "One run lies" if len(deleted) == 1 else f"{number.figure(len(deleted))} runs lie"
        st.markdown(f"{what} in the trash and can be taken back for seven days.", width="content")
        if any(registry.made_of(runs_folder(), name) for name in deleted):
            st.markdown("What was registered of it stays: versions are copies.", width="content")
        st.button("Undo", icon=":material/undo:", on_click=_restore, args=([*deleted],))


def _restore(names: list[str]) -> None:
    st.session_state.pop(_DELETED, None)
    for name in names:
        try:
            tracking.restore(runs_folder(), name)
        except StagecoachError as error:
            st.session_state[_PROBLEM] = str(error)
