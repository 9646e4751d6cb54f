"""Which column of an upload plays which part: proposed, and chosen by the learner."""

from dataclasses import replace

import streamlit as st

from trainer.owndata import roles
from trainer.owndata.roles import Roles
from ui.own_held import Held

_NONE, _COLUMNS = "none", "no text: columns instead"


def show(held: Held) -> Roles:
    """Draw which column plays which part; returns what is chosen."""
    names, first = list(held.sheet.names), roles.propose(held.kinds)
    key = f"own-{held.name}-{len(held.sheet)}"
    left, right = st.columns(2)
    with left:
        label = st.selectbox("The label: what the model should name", names,
                             names.index(first.label), key=f"{key}-label")  # fmt: skip
    others = [name for name in names if name != label]
    texts = [column.name for column in held.kinds if column.kind == "text" and column.name != label]
    with right:
        text = _or_none("A text to read", texts, first.text, f"{key}-text", _COLUMNS)
    read: tuple[str, ...] = ()
    if text is None:
        kinds = {column.name: column.kind for column in held.kinds}
        usual = [name for name in others if kinds[name] in ("number", "category")]
        able = [name for name in others if kinds[name] != "empty"]
        picked = st.pills("Columns to read", able, selection_mode="multi", default=usual,
                          key=f"{key}-read-{label}", wrap=True)  # fmt: skip
        read = tuple(picked)
    left, right = st.columns(2)
    with left:
        group = _or_none("Groups, for a split", others, None, f"{key}-group", _NONE)
    with right:
        time = _or_none("Time, for a split", others, first.time, f"{key}-time", _NONE)
    return replace(first, label=label, text=text, columns=read, group=group, time=time)


def _or_none(label: str, names: list[str], first: str | None, key: str, none: str) -> str | None:
    options = ["", *names]
    picked = st.selectbox(
        label, options, options.index(first) if first in names else 0,
        format_func=lambda name: name or none, key=key,
    )  # fmt: skip
    return picked or None
