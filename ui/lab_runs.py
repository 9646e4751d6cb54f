"""The last five runs of a lab, under it: open one again, or tick two to compare them."""

import streamlit as st

from course.lesson import LabLesson
from trainer import tracking
from trainer.runs import Run, list_runs, runs_folder
from ui import lab_states, number, outcome, overlay, state, words
from ui.lab_states import Opened

_SHOWN = 5
_TICK_WIDTH = 150


def show(opened: Opened) -> None:
    """Draw the list and, with two ticked, their overlay; nothing before the first run."""
    lesson, view = opened.lesson, state.read()
    runs = list_runs(runs_folder(), lab=lesson.id, learner=view.learner, limit=_SHOWN)
    if not runs:
        return
    st.markdown("### Your last runs of this lab", anchors=False)
    if len(runs) > 1:
        st.markdown("Tick two to lay them over each other.")
    ticked = [run.id for run in runs if _row(opened, run, can_tick=len(runs) > 1)]
    if len(ticked) > 1:
        rows = tracking.history(runs_folder(), lab=lesson.id).rows
        overlay.show([row for row in rows if row.id in ticked])


def _row(opened: Opened, run: Run, *, can_tick: bool) -> bool:
    is_here = opened.run is not None and opened.run.id == run.id
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        status = lab_states.WORDS[lab_states.of_run(run)]
        is_ticked = can_tick and st.checkbox(status, key=f"tick-{run.id}", width=_TICK_WIDTH)
        if not can_tick:
            st.markdown(f"**{status}**", width=_TICK_WIDTH)
        st.markdown(_words(opened, run), width="stretch")
        if is_here:
            st.markdown("Open above", width="content")
        else:
            st.page_link(
                state.page_path(opened.lesson.stage),
                label="Open",
                icon=":material/open_in_full:",
                query_params={"lab": opened.lesson.id, "run": run.id} | state.learner_query(),
            )
    return bool(is_ticked)


def _words(opened: Opened, run: Run) -> str:
    parts = []
    if lab_states.of_run(run) == "finished" and run.finding:
        name = run.finding.name.replace("_", " ")
        parts.append(f"{name} {number.text(run.finding.value, '', 'M')}")
    elif run.step:
        parts.append(words.place(run))
    changed = _changed(opened, run)
    parts.append(changed or "usual settings")
    return " · ".join([*parts, *_said(opened.lesson, run)])


def _changed(opened: Opened, run: Run) -> str:
    infos = opened.info.settings if opened.info else ()
    settings = run.config.settings
    return ", ".join(
        f"{info.label} {words.setting(info, settings[info.name])}"
        for info in infos
        if info.name in settings and settings[info.name] != info.default
    )


def _said(lesson: LabLesson, run: Run) -> list[str]:
    judged = [verdict for _, verdict in outcome.verdicts(lesson, run) if verdict.right is not None]
    return [number.sentence(verdict.sentence, "M") for verdict in judged[:1]]
