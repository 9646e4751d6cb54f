"""One setting of a lab as a widget; its first value comes from the address."""

from typing import Any

import streamlit as st

from trainer.errors import BadSetting
from trainer.setting import SettingInfo
from ui import number, state

_MOST_STEPS = 1000  # a slider with more steps cannot be set exactly
_MOST_PILLS = 4
_LONGEST_QUOTE = 40


def show(entry: SettingInfo, base: Any, key: str) -> Any:
    """Draw the widget; returns its value. Where the address is wrong the usual value stands."""
    raw = state.read().settings.get(entry.name)
    value = base if raw is None or problem(entry) else entry.check(raw)
    if entry.kind == "toggle":
        return st.toggle(entry.label, value, help=entry.help, key=key)
    if entry.kind == "choice":
        return _choice(entry, value, key)
    return _number(entry, value, key)


def problem(entry: SettingInfo) -> str:
    """Return what is wrong with the setting in the address as a sentence; empty for nothing."""
    raw = state.read().settings.get(entry.name)
    try:
        if raw is not None:
            entry.check(raw)
    except BadSetting as wrong:
        return _readable(str(wrong), entry, str(raw))
    return ""


def _readable(told: str, entry: SettingInfo, raw: str) -> str:
    """Write out a large bound, and quote of a stranger's text only the start, as plain text."""
    if entry.integer and entry.high is not None:
        told = told.replace(f"{entry.high:g}", number.setting(entry.high))
    return told.replace(repr(raw), quoted(raw))


def quoted(raw: str) -> str:
    """Return the start of a text from the address, as code: nothing in it is Markdown."""
    return f"`{raw[:_LONGEST_QUOTE].replace('`', '')}`"


def _choice(entry: SettingInfo, value: str, key: str) -> str:
    options = list(entry.options)
    words = entry.options.__getitem__
    if len(options) <= _MOST_PILLS:
        picked = st.pills(
            entry.label, options, default=value, required=True, format_func=words, help=entry.help,
            key=key, wrap=True,
        )  # fmt: skip
        return picked or value
    place = options.index(value)
    return str(
        st.selectbox(entry.label, options, place, format_func=words, help=entry.help, key=key)
    )


def _number(entry: SettingInfo, value: float, key: str) -> float | int:
    kind = int if entry.integer else float
    says_unit = not entry.unit or entry.unit.lower() in entry.label.lower()
    label = entry.label if says_unit else f"{entry.label} ({entry.unit})"
    low, high = kind(entry.low or 0), kind(entry.high or 0)
    steps = (high - low) / entry.step if entry.step else 0
    if entry.scale == "log" or steps > _MOST_STEPS or not entry.step:
        shown = None if entry.integer else "%.6g"
        step = kind(entry.step) if entry.step else None
        return kind(
            st.number_input(label, low, high, kind(value), step, shown, key=key, help=entry.help)
        )
    return kind(
        st.slider(label, low, high, kind(value), kind(entry.step), key=key, help=entry.help)
    )
