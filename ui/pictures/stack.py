"""The layers from a script down to the chip: what one multiply met in each, and how long."""

from html import escape
from typing import Any

import streamlit as st

from course.lesson import PictureSpec
from ui import figure, look, number, state

_MOVED = "stack-moved"
_LABELS = {
    "script": "Your script",
    "module": "PyTorch module",
    "autograd": "PyTorch autograd",
    "operator": "PyTorch operator",
    "library": "Math library",
    "runtime": "Runtime",
    "driver": "Driver",
    "kernel": "Kernel",
    "chip": "Chip",
}
_CSS = """
figure{margin:0}
ol{list-style:none;margin:0;padding:0;font-size:15px;line-height:1.35}
li{border:1px solid LINE;border-top-width:0;padding:7px 12px 8px;background:PANEL}
li:first-child{border-top-width:1px;border-radius:8px 8px 0 0}
li:last-child{border-radius:0 0 8px 8px}
li.away{background:transparent;border-style:dashed;color:MUTED}
.head,.name{display:flex;justify-content:space-between;gap:0 12px;flex-wrap:wrap}
.head{color:MUTED;font-size:14px}
.name b{font-family:var(--st-code-font,monospace);font-weight:600;overflow-wrap:anywhere}
.name span{white-space:nowrap;font-variant-numeric:tabular-nums}
.bar{height:6px;background:BAND;border-radius:3px;margin:5px 0 1px}
.bar i{display:block;height:6px;min-width:2px;border-radius:3px;background:PINE}
.note{color:MUTED;font-size:14px}
"""


def show(spec: PictureSpec, value: Any) -> None:
    """Draw `{"chosen", "bare_us", "step_us": {step: time}, "kinds", "steps"}`.

    A kind is a list of layers `{"layer", "name", "is_here", "calls", "note"}`; a step is `[kind,
    times, whole times]`, a time in microseconds (or None) for each of its layers. The step that
    is shown stands in the address; a click on the curve puts it there as well.
    """
    steps, key = [int(step) for step in value["steps"]], f"stack-{spec.data}"
    asked = state.read().step
    step = st.session_state[key] = asked if asked in steps else value["chosen"]
    st.slider(
        "Step to follow", min(steps), max(steps), key=key, on_change=_follow, args=(key,),
        help="Or click on the curve: the step under the pointer is followed.",
    )  # fmt: skip
    if st.session_state.pop(_MOVED, False):
        st.rerun()  # the mark on the curve, which is drawn outside, goes along
    rows = _rows(value, step)
    longest = max(row["us"] or 0 for row in rows)
    words = " ".join(_words(row) for row in rows)
    body = "".join(_row(row, longest) for row in rows)
    style = _style(look.tokens())
    label = escape(f"{spec.alt} Step {step}: {words}", quote=True)
    figure.show(
        f'<style>{style}</style><figure role="img" aria-label="{label}"><ol>{body}</ol></figure>',
        key=f"{spec.data}-{step}",
    )
    whole, bare = (
        number.text(us, "µs", "M") for us in (value["step_us"][str(step)], value["bare_us"])
    )
    st.markdown(f":small[Traced, this step took {whole}; the median of the bare steps is {bare}.]")


def _follow(key: str) -> None:
    state.put({"step": str(st.session_state[key])})
    st.session_state[_MOVED] = True


def _rows(value: dict[str, Any], step: int) -> list[dict[str, Any]]:
    kind, us, whole_us = value["steps"][str(step)]
    times = zip(value["kinds"][kind], us, whole_us, strict=True)
    return [layer | {"us": one, "whole_us": whole} for layer, one, whole in times]


def _row(row: dict[str, Any], longest: float) -> str:
    label, name, note = (escape(text) for text in (_label(row), row["name"], row["note"]))
    time, bar, whole = "", "", ""
    if row["us"] is not None:
        time = f"<span>{number.figure(row['us'], 'µs')} (M)</span>"
        bar = f'<div class="bar"><i style="width:{100 * row["us"] / longest}%"></i></div>'
        whole = f"<span>{_whole(row)}</span>"
    kind = "here" if row["is_here"] else "away"
    return (
        f'<li class="{kind}"><div class="head"><span>{label}</span>{whole}</div>'
        f'<div class="name"><b>{name}</b>{time}</div>{bar}<div class="note">{note}</div></li>'
    )


def _whole(row: dict[str, Any]) -> str:
    calls = number.figure(row["calls"])
    return f"whole step: {calls} calls, {number.figure(row['whole_us'], 'µs')} (M)"


def _words(row: dict[str, Any]) -> str:
    note = f" ({row['note']})" if row["note"] else ""
    if row["us"] is None:
        return f"{_label(row)}: {row['name']}{note}."
    return f"{_label(row)}: {row['name']}, {number.figure(row['us'], 'µs')}; {_whole(row)}{note}."


def _label(row: dict[str, Any]) -> str:
    return _LABELS[row["layer"]]


def _style(colours: look.Tokens) -> str:
    names = {"LINE": colours.line, "PANEL": colours.panel, "MUTED": colours.muted}
    css = _CSS
    for name, colour in (names | {"BAND": colours.band, "PINE": colours.pine}).items():
        css = css.replace(name, colour)
    return css
