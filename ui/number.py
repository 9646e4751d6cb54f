"""The only place where a number becomes text: value, unit and the letter of its origin."""

import math
from dataclasses import dataclass

import streamlit as st

ORIGINS = {
    "M": "Measured on this machine, in this run",
    "R": "Recorded earlier on a named machine: device, driver, date",
    "C": "Computed from a formula you can see",
    "D": "Documented by the maker, with source and date",
    "S": "Simulated by stated rules",
}
_TINY = 1e-4  # below it, four digits after the point would show none
_COLOURS = {"M": "green", "R": "violet", "C": "gray", "D": "blue", "S": "yellow"}


@dataclass(frozen=True)
class Number:
    """A value with its unit and its origin (M, R, C, D or S)."""

    value: float | None
    unit: str
    origin: str

    def __post_init__(self) -> None:
        """Refuse a letter that stands for no origin."""
        if self.origin not in ORIGINS:
            msg = f"{self.origin!r} is no origin; use one of {', '.join(ORIGINS)}."
            raise ValueError(msg)


def chip(origin: str) -> str:
    """Return the origin's letter as a coloured badge, in Markdown."""
    return f":{_COLOURS[origin]}-badge[{origin}]"


def figure(value: float | None, unit: str = "") -> str:
    """Return a value with its unit as plain text, for example `1,998`, `0.58 nats` or `23 s`."""
    if value is None:
        return "none yet"
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else "beyond all bounds"
    if unit == "s":
        return _duration(value)
    is_tiny = 0 < abs(value) < _TINY
    text = _with_exponent(value) if is_tiny else f"{value:,.{_digits(value, unit)}f}"
    text = text.replace("-", "\N{MINUS SIGN}")
    return f"{text} {unit}" if unit else text


def text(value: float | None, unit: str, origin: str) -> str:
    """Return a number for a sentence, its chip after it, in Markdown."""
    number = Number(value, unit, origin)
    return f"**{figure(number.value, number.unit)}** {chip(number.origin)}"


def quoted(value: float, unit: str, origin: str) -> str:
    """Return a number as its source gives it, unrounded, its chip after it, in Markdown."""
    number = Number(value, unit, origin)
    return f"**{setting(value, number.unit)}** {chip(number.origin)}"


def sentence(told: str, origin: str) -> str:
    """Return a sentence with one chip at its end where it holds a number, in Markdown."""
    return f"{told} {chip(origin)}" if any(map(str.isdigit, told)) else told


def show(label: str, value: float | None, unit: str, origin: str) -> None:
    """Draw one number with its label; the chip stands after the label."""
    number = Number(value, unit, origin)
    st.metric(f"{label} {chip(number.origin)}", figure(number.value, number.unit))


def _with_exponent(value: float) -> str:
    """Return a tiny value in two digits, for example `4.8e-7`."""
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def _digits(value: float, unit: str) -> int:
    if isinstance(value, int) or unit == "%":
        return 0
    size = abs(value)
    if size >= 100:
        return 0
    if size >= 10:
        return 1
    return 2 if size >= 0.01 or size == 0 else 4


def _duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def setting(value: object, unit: str = "") -> str:
    """Return the value of a setting exactly as it was set: no rounding."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    shown = f"{value:,}" if isinstance(value, int) else f"{value:g}"
    return f"{shown} {unit}" if unit else shown
