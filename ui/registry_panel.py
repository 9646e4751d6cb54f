"""A learner's registered versions: which one is champion, where each comes from, the way back."""

from datetime import datetime
from typing import Any

import pandas as pd
import streamlit as st

from course.load import load
from trainer import registry
from trainer.errors import StagecoachError
from trainer.registry import Version
from trainer.runs import find, runs_folder
from ui import number, state
from ui.data_card import show as show_card

_SHOWN = 8
_PROBLEM = "registry-problem"
_WIDTH = 720


def show(versions: list[Version]) -> None:
    """Draw the table of versions and what can be done with one of them."""
    model = versions[0].model
    st.markdown(
        f"A finished run becomes a version of `{model}`; the **champion** answers requests. "
        "Versions never change and are copies: deleting a run leaves its version as it is.",
        width=_WIDTH,
    )
    st.table(pd.DataFrame([_row(each) for each in versions[:_SHOWN]]), border="horizontal",
             hide_index=True, alt=f"Versions of {model}")  # fmt: skip
    if len(versions) > _SHOWN:
        st.markdown(f"Shown are the newest; {number.figure(len(versions))} versions in all.")
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.warning(problem, icon=":material/block:")
    _one(versions)


def _row(version: Version) -> dict[str, str]:
    card = version.card
    accuracy = version.accuracy
    right = "not tested" if accuracy is None else number.text(accuracy, "", "M")
    return {
        "Version": f"**{version.number}** champion" if version.is_champion else str(version.number),
        "Right": right,
        "Data": f"`{card['data']['id'][:4]}` by {card['data']['split']}",
        "Parent": f"`{card['parent'][16:]}`" if card["parent"] else "none",
        "Made (UTC)": datetime.fromisoformat(card["date"]).strftime("%-d %b %H:%M"),
    }


def _one(versions: list[Version]) -> None:
    by_number = {each.number: each for each in versions}
    first = next((each.number for each in versions if each.is_champion), versions[0].number)
    with st.container(horizontal=True, vertical_alignment="center"):
        picked = st.selectbox(
            "Version", list(by_number), index=list(by_number).index(first), width=150,
            key="registry-version", format_func=lambda each: f"Version {each}",
            label_visibility="collapsed",
        )  # fmt: skip
        chosen = by_number.get(picked, versions[0])
        _move(chosen, by_number[first])
        _run_link(chosen)
    show_card(chosen)


def _move(chosen: Version, champion: Version) -> None:
    if chosen.is_champion:
        return
    back = champion.is_champion and chosen.number < champion.number
    label = f"Roll back to version {chosen.number}" if back else "Make it champion"
    icon = ":material/undo:" if back else ":material/trophy:"
    st.button(label, icon=icon, key="registry-move", on_click=_choose, args=(chosen.number,))


def _choose(wanted: int) -> None:
    try:
        registry.roll_back(runs_folder(), state.read().learner, wanted)
    except StagecoachError as error:
        st.session_state[_PROBLEM] = str(error)


def _run_link(version: Version) -> None:
    try:
        run = find(runs_folder(), version.run)
    except StagecoachError:
        st.markdown(f"Its run `{version.run}` is deleted; the version stays.", width="content")
        return
    lesson: Any = load().labs.get(run.config.lab)
    if lesson is not None:
        st.page_link(
            state.page_path(lesson.stage),
            label=f"Open its run, lab {lesson.number}",
            icon=":material/open_in_full:",
            query_params={"lab": lesson.id, "run": run.id} | state.learner_query(),
        )
