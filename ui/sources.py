"""Where a lesson's figures and statements come from, each with the day it was read."""

import streamlit as st

from course.guide import Guide
from course.inserts import figures_in
from course.lesson import LabLesson
from course.load import load
from course.model import Figure, Source, Stage, Way
from ui import number


def show(page: Stage | LabLesson | Way | Guide) -> None:
    """Draw a popover with every quoted figure of the lesson, then its sources."""
    course = load()
    figures = figures_in(course, page.body)
    read = [course.sources[each] for each in page.sources]
    if not figures and not read:
        return
    kind = "guide" if isinstance(page, Guide) else "lesson"
    label = f"Figures and sources of this {kind}" if figures else f"Sources of this {kind}"
    with st.popover(label, icon=":material/library_books:", type="tertiary", wrap=True):
        for figure in figures:
            st.markdown(_told(figure), width=480)
        if figures and read:
            st.markdown(f"**Read for this {kind}**", width=480)
        st.markdown("\n".join(f"- {_named(source)}" for source in read), width=480)


def _told(figure: Figure) -> str:
    shown = number.quoted(figure.value, figure.unit, figure.origin)
    said = f"{shown} {figure.says}."
    if figure.formula:
        said += f" Computed as {figure.formula}."
    return f"{said} {_named(load().sources[figure.source])}" if figure.source else said


def _named(source: Source) -> str:
    link = f"[{source.title}]({source.address})"
    return f"{link}, {source.publisher}, read on {source.read.isoformat()}."
