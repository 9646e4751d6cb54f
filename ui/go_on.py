"""What to go on with, as a card of Home."""

import streamlit as st

from course.lesson import LabLesson
from course.load import load
from trainer.runs import Run, list_runs, runs_folder
from ui import lab_states, state, words


def show() -> None:
    """Draw what is unfinished, else the next lab."""
    runs = list_runs(runs_folder(), learner=state.read().learner)
    with st.container(border=True, height="stretch"):
        st.markdown("### Go on", anchors=False)
        open_run = next((run for run in runs[:1] if _is_open(run)), None)
        if open_run:
            _unfinished(open_run)
        else:
            _next_lab({run.config.lab for run in runs})


def _is_open(run: Run) -> bool:
    return run.config.lab in load().labs and lab_states.of_run(run) != "finished"


def _unfinished(run: Run) -> None:
    lesson = load().labs[run.config.lab]
    word = lab_states.WORDS[lab_states.of_run(run)].lower()
    where = f" at {words.place(run)}" if run.step else ""
    st.markdown(f"**Lab {lesson.number}, {lesson.title}**: {word}{where}.")
    _link(lesson, "Open the run", {"run": run.id})


def _next_lab(tried: set[str]) -> None:
    lesson = next((lab for lab in load().labs.values() if lab.id not in tried), None)
    if lesson is None:
        st.markdown("You have run every lab that is here. Lay two of your runs over each other.")
        st.page_link(
            state.page_path("runs"), label="Compare runs", query_params=state.learner_query()
        )
        return
    st.markdown(f"**Lab {lesson.number}, {lesson.title}.** {lesson.question}")
    _link(lesson, "Open the lab", {})


def _link(lesson: LabLesson, label: str, query: dict[str, str]) -> None:
    st.page_link(
        state.page_path(lesson.stage),
        label=label,
        icon=":material/arrow_forward:",
        icon_position="right",
        query_params={"lab": lesson.id} | query | state.learner_query(),
    )
