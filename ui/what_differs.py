"""Beside an overlay: the settings that differ, the figures, and what follows in one sentence."""

import math

import streamlit as st

from trainer import catalogue
from trainer.runs import runs_folder
from trainer.tracking import Row
from ui import number, run_names, run_words, words
from ui.overlay_figure import Line

_ARROW = " → "


def show(rows: list[Row], lines: list[Line], metric: str) -> str:
    """Draw the table; return the sentence that says what the picture shows."""
    sentence = _sentence(lines, metric)
    if len(rows) == 1:
        st.markdown("Tick a second run to lay one over the other.")
        return sentence
    st.markdown("## What differs", anchors=False)
    differing = _settings(rows)
    if not differing:
        st.markdown("Nothing: these runs have the same settings and the same seed.")
    st.table(differing | _figures(rows, lines, metric), border="horizontal", hide_header=True)
    st.markdown(number.sentence(sentence, "M"))
    return sentence.replace("**", "")


def _settings(rows: list[Row]) -> dict[str, str]:
    labs = catalogue.read(runs_folder())
    info = labs.lab(rows[0].lab) if labs and len({row.lab for row in rows}) == 1 else None
    found = {
        entry.label: [words.setting(entry, run_names.setting(entry, row)) for row in rows]
        for entry in (info.settings if info else ())
    }
    if info is None:
        names = sorted({name for row in rows for name in row.chosen})
        found = {name: [row.chosen.get(name, "usual") for row in rows] for name in names}
        found["Lab"] = [run_words.lab(row.lab) for row in rows]
    for name in ("seed", "preset", "device", "threads", "learner", "data", "parent"):
        found[name.capitalize()] = [row.params.get(name, "") for row in rows]
    return {name: _ARROW.join(told) for name, told in found.items() if len(set(told)) > 1}


def _figures(rows: list[Row], lines: list[Line], metric: str) -> dict[str, str]:
    low = run_words.is_low_good(metric) is not False
    chip = number.chip("M")
    pick, word = (min, "Lowest") if low else (max, "Highest")
    finite = [[value for value in line.y if math.isfinite(value)] for line in lines]
    bests = [pick(values) if values else None for values in finite]
    lasts = [values[-1] if values else None for values in finite]
    return {
        f"{word} {chip}": _ARROW.join(number.figure(value) for value in bests),
        f"At the end {chip}": _ARROW.join(number.figure(value) for value in lasts),
        f"Time {chip}": _ARROW.join(number.figure(row.seconds, "s") for row in rows),
    }


def _sentence(lines: list[Line], metric: str) -> str:
    """Say which run reaches furthest, to the digits that are shown."""
    low = run_words.is_low_good(metric) is not False
    what = run_words.metric(metric)
    reached = []
    for line in lines:
        values = [value for value in line.y if math.isfinite(value)]
        if values:
            reached.append((min(values) if low else -max(values), line.label))
    if not reached:
        return f"No values of {what} yet."
    word = "lowest" if low else "highest"
    ordered = [(number.figure(abs(value)), label) for value, label in sorted(reached)]
    best, label = ordered[0]
    if len(ordered) == 1:
        return f"**{label}**: its {word} {what} is {best}."
    if ordered[1][0] == best:
        return f"**A tie**: {label} and {ordered[1][1]} both reach a {what} of {best}."
    return f"**{label} reaches the {word} {what}**: {best} against {ordered[1][0]}."
