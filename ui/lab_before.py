"""Pictures that a learner sees before the question, of what was measured in earlier runs."""

import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from trainer import registry
from trainer.runs import runs_folder
from trainer.serve import formula, told
from ui import pictures, state
from ui.lab_states import Opened

_LIMIT = 32  # the usual batch limit


def show(opened: Opened) -> None:
    """Draw those pictures of the lesson that are marked for it and have something to show."""
    for spec in opened.lesson.pictures:
        value = _KNOWN[spec.data]() if spec.before else None
        if value is not None:
            st.markdown(f"### {spec.title}", anchors=False)
            pictures.KINDS[spec.kind](spec, value)


def _bare() -> dict[str, Any] | None:
    """What the endpoint measured when it warmed up the learner's champion."""
    found = registry.champion(runs_folder(), state.read().learner)
    if found is None:
        return None
    place = found.path.with_name(f"bare-{found.number}.json")
    try:
        points = [(int(rows), float(ms)) for rows, ms in json.loads(place.read_bytes())["rows"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return told.bare(points, formula.fit(points), _LIMIT) if points else None


_KNOWN: dict[str, Callable[[], dict[str, Any] | None]] = {"bare": _bare}
