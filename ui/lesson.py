"""A lesson: its code comes from the lab that runs, new words are explained where they stand."""

import re
from functools import lru_cache

import streamlit as st

from course import regions
from course.load import load
from course.model import Term
from trainer.catalogue import LabInfo

_WIDTH = 720
_NAMED = 4  # words in the label of a popover
_LATER = "*The code stands here as soon as the labs are loaded.*"
_CODE = re.compile(r"(```.*?```)", re.S)


def show(body: str, info: LabInfo | None = None) -> None:
    """Draw a lesson part by part; after each part its new words, to be opened."""
    seen: set[str] = set()
    for part in _parts(_with_code(body, info)):
        _prose_and_code(part)
        new = [term for term in _terms_in(part) if term.id not in seen]
        seen |= {term.id for term in new}
        if new:
            _words(new)


def _prose_and_code(part: str) -> None:
    """Draw prose in a readable width, code as wide as its lines are."""
    for piece in _CODE.split(part):
        if piece.startswith("```"):
            st.code(piece.removeprefix("```python\n").removesuffix("```"), language="python")
        elif piece.strip():
            st.markdown(piece, width=_WIDTH, anchors=False)


def _with_code(body: str, info: LabInfo | None) -> str:
    if info is None:
        return regions.ASK.sub(_LATER, body)
    try:
        return regions.fill(body, {info.file: info.source}.__getitem__)
    except (KeyError, regions.RegionError):
        return regions.ASK.sub(f"*The file `{info.file}` no longer marks this part.*", body)


def _parts(body: str) -> list[str]:
    return [part for part in re.split(r"^(?=## )", body, flags=re.M) if part.strip()]


@lru_cache(maxsize=256)
def _terms_in(text: str) -> tuple[Term, ...]:
    prose = _CODE.sub("", text)
    found = [
        (match.start(), term) for term in load().terms.values() if (match := _find(term, prose))
    ]
    return tuple(term for _, term in sorted(found, key=lambda pair: pair[0]))


def _find(term: Term, prose: str) -> re.Match[str] | None:
    names = "|".join(re.escape(name) for name in (term.term, *term.also))
    return re.search(rf"\b(?:{names})(?:e?s)?\b", prose, re.I)


def _words(terms: list[Term]) -> None:
    named = [f"*{term.term}*" for term in terms[:_NAMED]]
    if len(terms) > _NAMED:
        named.append("more")
    verb = "means" if len(terms) == 1 else "mean"
    label = f"What {' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))} {verb}"
    with st.popover(label, type="tertiary", icon=":material/menu_book:", wrap=True):
        for term in terms:
            st.markdown(f"**{term.term}**: {term.definition}", width=480)
