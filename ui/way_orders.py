"""The parts of the course as lists of links: by stage, by exam objective, in reading order."""

import streamlit as st

from course.lesson import LabLesson
from course.model import Course, Stage
from ui import state


def by_stage(course: Course) -> None:
    """Draw each stage with what is done there, its software and machines, and its labs."""
    for step in course.way.steps:
        stage = course.stages[step.stage]
        with st.container(border=True):
            to_stage(stage)
            st.markdown(
                f"{step.does}.  \n**Software** {', '.join(step.software)}.  \n"
                f"**Machines** {', '.join(step.machines)}.",
                width=720,
            )
            for lab in course.labs_of(stage.id):
                _to_lab(lab)


def by_objective(course: Course) -> None:
    """Draw the exam's objectives by domain, each with the stages and labs that teach it."""
    st.markdown("The objectives of NVIDIA's NCA-AIIO exam, in our own words.", width=720)
    for domain in course.domains.values():
        st.header(f"{domain.id} {domain.title}", anchor=False)
        for objective in course.objectives.values():
            if objective.domain == domain.id:
                st.markdown(f"**{objective.id}** {objective.title}", width=720)
                _taught(course, objective.id)


def in_reading_order(course: Course) -> None:
    """Draw lessons and labs as one list from top to bottom."""
    st.markdown("From top to bottom; each lab follows the lesson that it belongs to.", width=720)
    for stage in course.stages.values():
        to_stage(stage)
        for lab in course.labs_of(stage.id):
            _to_lab(lab)


def _taught(course: Course, objective: str) -> None:
    with st.container(horizontal=True, gap="small"):
        for stage in course.stages.values():
            if objective in stage.objectives:
                to_stage(stage)
        for lab in course.labs.values():
            if objective in lab.objectives:
                _to_lab(lab)


def to_stage(stage: Stage) -> None:
    """Draw the way to a stage."""
    label = f"**{stage.number} {stage.title}**"
    st.page_link(state.page_path(stage.id), label=label, query_params=state.learner_query())


def _to_lab(lab: LabLesson) -> None:
    st.page_link(
        state.page_path(lab.stage),
        label=f"Lab {lab.number}, {lab.title}",
        icon=":material/science:",
        query_params={"lab": lab.id} | state.learner_query(),
    )
