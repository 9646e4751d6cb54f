"""A stage's page: the route, its labs, its lesson; the title folds away once a lab is open."""

from collections.abc import Callable

import streamlit as st

from course.lesson import LabLesson
from course.load import load
from course.model import Stage
from trainer import catalogue, runs
from trainer.catalogue import LabInfo
from trainer.errors import UnknownRun
from trainer.runs import Run
from ui import in_exam, journey, lab, lesson, origins, planted, route, setting_widget, state
from ui.lab_states import Opened


def show(stage_id: str, beside: Callable[[], None] | None = None) -> None:
    """Draw the page of one stage; `beside` draws what it has beside labs and lesson."""
    stage, folder, view = load().stages[stage_id], runs.runs_folder(), state.read()
    route.show(journey.stations(folder, view.learner), stage_id, size="slim")
    read = catalogue.read(folder)
    infos = {info.id: info for info in read.labs} if read else None
    lessons = [each for each in load().labs_of(stage_id) if infos is None or each.id in infos]
    run, problem = _run(view.run)
    is_open = bool(lessons) and bool(view.lab or view.run)
    if not is_open:
        _head(stage, st.title)
    if problem:
        st.warning(problem, icon=":material/search_off:")
    if run is None:
        _say_other_lab(view.lab, lessons, stage_id)
    if lessons:
        _lab(lessons, infos, run, view)
    if beside is not None:
        beside()
    if is_open:
        st.space("medium")
        _head(stage, st.header)
    elif lessons or beside is not None:
        st.space("medium")
        st.header("About this stage", anchor=False)
    lesson.show(stage)
    in_exam.show(stage)
    origins.show()


def _head(stage: Stage, draw: Callable[..., object]) -> None:
    draw(stage.title, anchor=False)
    st.markdown(stage.summary, width=720)


def _run(run_id: str | None) -> tuple[Run | None, str | None]:
    if run_id is None:
        return None, None
    try:
        return runs.find(runs.runs_folder(), run_id), None
    except UnknownRun:
        return None, (
            "**There is no run of that name here.** It may have been deleted, or the address was "
            "cut short. Nothing was changed; your runs stand under Record, Runs."
        )


def _say_other_lab(wanted: str | None, lessons: list[LabLesson], stage_id: str) -> None:
    """Say where the lab in the address is, if it is not one of this stage."""
    if wanted is None or wanted in [each.id for each in lessons]:
        return
    other = load().labs.get(wanted)
    if other is None or other.stage == stage_id:
        what = " The labs of this stage stand below." if lessons else ""
        name = setting_widget.quoted(wanted)
        st.warning(f"There is no lab {name} here.{what}", icon=":material/search_off:")
        return
    st.page_link(
        state.page_path(other.stage),
        label=f"Lab {other.number}, {other.title}, belongs to another stage. Open it there",
        query_params={"lab": other.id} | state.learner_query(),
    )


def _lab(
    lessons: list[LabLesson], infos: dict[str, LabInfo] | None, run: Run | None, view: state.State
) -> None:
    by_id = {each.id: each for each in lessons}
    if run is not None and run.config.lab not in by_id:
        _elsewhere(run)
        run = None
    wanted = run.config.lab if run else view.lab
    chosen = by_id.get(wanted or "", lessons[0])
    if len(lessons) > 1:
        chosen = by_id[_pills(by_id, chosen)]
    info = infos[chosen.id] if infos else None
    is_planted = planted.read(chosen, info).is_there
    opened = Opened(lesson=chosen, info=info, run=run, is_planted=is_planted)
    lab.show(opened)
    lesson.show(chosen, info)


def _elsewhere(run: Run) -> None:
    other = load().labs.get(run.config.lab)
    if other is None:
        st.warning(f"That run belongs to the lab {run.config.lab}, which is not part of this app.")
        return
    st.page_link(
        state.page_path(other.stage),
        label=f"That run belongs to lab {other.number}, {other.title}. Open it there",
        query_params={"lab": other.id, "run": run.id} | state.learner_query(),
    )


def _pills(by_id: dict[str, LabLesson], chosen: LabLesson) -> str:
    picked = st.pills(
        "Labs of this stage",
        list(by_id),
        default=chosen.id,
        required=True,
        format_func=lambda id_: f"{by_id[id_].number} {by_id[id_].title}",
        label_visibility="collapsed",
        wrap=True,
    )
    if picked and picked != chosen.id:
        st.switch_page(
            state.page_path(by_id[picked].stage),
            query_params={"lab": picked} | state.learner_query(),
        )
    return chosen.id
