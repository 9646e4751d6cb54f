"""The pictures of a lab besides its curve: drawn as soon as the run has sent what they show."""

from typing import Any

import streamlit as st

from course.lesson import PictureSpec
from trainer.runs import Run
from ui import pictures
from ui.lab_states import MOVING, Opened

_TICK_S = 2.0
_WIDE = {"gantt"}  # takes a row of its own
_ROW = 3  # pictures beside each other at most


def show(opened: Opened) -> None:
    """Draw what there is; while the run goes on it looks again every two seconds."""
    if opened.run is None:
        return
    specs = [spec for spec in opened.lesson.pictures if spec.kind in pictures.KINDS]
    every = _TICK_S if opened.phase in MOVING else None
    st.fragment(_draw, run_every=every)(specs, opened.run)


def _draw(specs: list[PictureSpec], run: Run) -> None:
    samples = run.record.samples
    sent = [spec for spec in specs if samples.get(spec.data) is not None]
    there = [(spec, _whole(run, samples[spec.data])) for spec in sent]
    if not there:
        return
    st.space("small")
    for pair in there:
        if pair[0].kind in _WIDE:
            _picture(*pair)
    for row in _rows([pair for pair in there if pair[0].kind not in _WIDE]):
        columns = st.columns([62, 38] if len(row) == 1 else len(row), gap="large")
        for column, pair in zip(columns, row, strict=False):
            with column:
                _picture(*pair)


def _picture(spec: PictureSpec, value: Any) -> None:
    st.markdown(f"### {spec.title}", anchors=False)
    pictures.KINDS[spec.kind](spec, value)
    if spec.caption:
        st.markdown(f":small[{spec.caption}]")


def _whole(run: Run, value: Any) -> Any:
    """Return what a picture shows; where much of it is kept as an artifact, that as well."""
    if isinstance(value, dict) and "artifact" in value:
        return value | _artifact(run, value["artifact"])
    return value


@st.cache_data(max_entries=8, show_spinner=False, hash_funcs={Run: lambda run: run.id})
def _artifact(run: Run, name: str) -> dict[str, Any]:
    found = run.artifact(name)
    return found if isinstance(found, dict) else {}


def _rows(there: list[tuple[PictureSpec, Any]]) -> list[list[tuple[PictureSpec, Any]]]:
    """Return the pictures row by row: four stand two by two."""
    wide = 2 if len(there) % _ROW == 1 else _ROW
    return [there[at : at + wide] for at in range(0, len(there), wide)]
