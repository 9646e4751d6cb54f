"""A lesson: its code comes from the lab that runs, new words are explained where they stand."""

import re
from functools import lru_cache
from pathlib import Path

import streamlit as st

from course import inserts, regions
from course.guide import Guide
from course.lesson import LabLesson
from course.load import load
from course.model import Figure, Stage, Term, Way
from course.terms import terms_in
from trainer.catalogue import LabInfo
from ui import number, sources, state

_ROOT = Path(__file__).parent.parent
_WIDTH = 720
_NAMED = 4  # words in the label of a popover
_LATER = "*The code stands here as soon as the labs are loaded.*"
_PIECES = re.compile(rf"(```.*?```|{inserts.LAB.pattern.replace('?P<id>', '?:')})", re.S | re.M)


def show(page: Stage | LabLesson | Way | Guide, info: LabInfo | None = None) -> None:
    """Draw a lesson part by part, after each part its new words to be opened; then its sources."""
    seen: set[str] = set()
    for part in _parts(_with_code(page.body, info)):
        _pieces(part)
        new = [term for term in _terms(part) if term.id not in seen]
        seen |= {term.id for term in new}
        if new:
            _words(new)
    sources.show(page)


def _pieces(part: str) -> None:
    """Draw prose in a readable width, code as wide as its lines are, the way to a lab as a link."""
    for piece in _PIECES.split(part):
        if piece.startswith("```"):
            st.code(piece.removeprefix("```python\n").removesuffix("```"), language="python")
        elif asked := inserts.LAB.fullmatch(piece):
            _way_to(load().labs[asked["id"]])
        elif piece.strip():
            st.markdown(inserts.FIGURE.sub(_figure, piece), width=_WIDTH, anchors=False)


def _figure(match: re.Match[str]) -> str:
    figure: Figure = load().figures[match["id"]]
    return number.quoted(figure.value, figure.unit, figure.origin)


def _way_to(lab: LabLesson) -> None:
    with st.container(border=True, width=_WIDTH, gap="xxsmall"):
        st.page_link(
            state.page_path(lab.stage),
            label=f"**Lab {lab.number}, {lab.title}**",
            icon=":material/science:",
            query_params={"lab": lab.id} | state.learner_query(),
        )
        st.markdown(lab.question)


def _with_code(body: str, info: LabInfo | None) -> str:
    if info is None:
        return regions.ASK.sub(_LATER, body)
    try:
        return regions.fill(body, lambda file: _source(info, file))
    except (OSError, regions.RegionError):
        return regions.ASK.sub(f"*The file `{info.file}` no longer marks this part.*", body)


def _source(info: LabInfo, file: str) -> str:
    """The lab as it was when the catalogue was made; of the engine, the file that it imports."""
    return info.source if file == info.file else (_ROOT / file).read_text(encoding="utf-8")


def _parts(body: str) -> list[str]:
    return [part for part in re.split(r"^(?=## )", body, flags=re.M) if part.strip()]


@lru_cache(maxsize=256)
def _terms(text: str) -> tuple[Term, ...]:
    return terms_in(load(), text)


def _words(terms: list[Term]) -> None:
    named = [f"*{term.term}*" for term in terms[:_NAMED]]
    if len(terms) > _NAMED:
        named.append("more")
    verb = "means" if len(terms) == 1 else "mean"
    label = f"What {' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))} {verb}"
    with st.popover(label, type="tertiary", icon=":material/menu_book:", wrap=True):
        for term in terms:
            st.markdown(f"**{term.term}**: {term.definition}", width=480)
