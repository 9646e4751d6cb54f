"""The live curve: one chart of a run, the same element from the empty axes to the finished picture.

It is mounted once and draws in place what the server's socket brings; the page reruns only when the
run's state changes, so that it can show other buttons.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import streamlit as st

from trainer.reading import RULES
from trainer.runs import runs_folder
from trainer.stream import word
from ui import live

_HERE = Path(__file__).parent
_UNITS = {"loss": "loss (nats)", "accuracy": "accuracy (share of tickets right)"}
_UNITS |= {"latency_ms": "time of one all-reduce (ms)", "gb_per_s": "rate (GB/s)"}
_UNITS |= {"loss_difference": "difference of the losses (nats)"}
_UNITS |= {"distance": "distance of the parameters"}
_UNITS |= {"answer_ms": "time to the answer (ms)", "part_ms": "mean share of it (ms)"}
_AS_THEY_ARE = (
    *("x_range", "y_range", "metrics", "highlight", "truth", "gap", "picked", "beneath", "band"),
)
_HIGH_IS_BEST = {"accuracy", "share", "throughput", "gb_per_s"}
_draw = st.components.v2.component(
    "stagecoach_curve",
    html=(_HERE / "curve.html").read_text(encoding="utf-8"),
    css=(_HERE / "static" / "uplot" / "uPlot.min.css").read_text(encoding="utf-8")
    + (_HERE / "curve.css").read_text(encoding="utf-8"),
    js=(_HERE / "mount.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Flag:
    """What the learner said: a place on the x axis or a height; dashed until it is set."""

    value: float
    is_set: bool = True


class GapWords(TypedDict):
    """How the distance between flag and truth is said: `7 points too high`."""

    one: str
    many: str
    above: str
    below: str
    scale: float
    digits: int


class Ceiling(TypedDict):
    """A line that nothing can pass, with its reason and where the figure comes from."""

    value: float
    label: str
    origin: str


class View(TypedDict, total=False):
    """How the chart looks; everything has a default."""

    labels: Mapping[str, str]  # metric -> the words at its line's end
    x: Literal["epoch", "step", "seconds"]
    x_range: tuple[float, float]  # the coming range, for the chart that is still empty
    y_range: tuple[float, float]
    ceiling: Sequence[Ceiling]
    unit: str  # what the y axis counts
    metrics: Sequence[str]  # only these; all of the chart otherwise
    beneath: Sequence[str]  # drawn broad and pale, since other lines lie on them
    highlight: Sequence[str]  # which stay coloured where there are more than four
    gap: GapWords  # in the lesson's own unit; in the axis's otherwise
    truth: str  # the metric that the flag is about; validation otherwise
    is_log: bool  # whether the height is logarithmic at first; the visitor may change it
    has_best: bool  # whether the ended run's best point is marked; true otherwise
    status: str  # the state that the page shows; worked out from the run's files otherwise
    on_pick: Callable[[int], None]  # told the step that was clicked, counted within its arm
    band: Mapping[str, Any] | None  # what to expect: `lines`, `plan` and `words`, as recorded
    picked: int | None  # the step that is chosen, marked on the axis
    height: int


def show(
    run_id: str | None,
    chart: str,
    *,
    key: str,
    flag: Flag | float | None = None,
    level: Flag | float | None = None,
    **view: Unpack[View],
) -> str | None:
    """Show one chart; return the run's new state once when it changes, else None.

    Args:
        run_id: The run, or None for the empty chart that waits for one.
        chart: What metrics of the chart end with: `loss` takes `train/loss`, `row.val/loss` ...
        key: The same in every state of the lab, as must be the place on the page: what is drawn
            before it may change its content but not its number, or the browser mounts it anew.
        flag: The learner's place on the x axis, in `x` units.
        level: The learner's height, where the question is about an amount.
        view: See `View`.

    Returns:
        One of queued, starting, running, paused, stopped, failed, finished, gone.
    """
    known = view.get("status") or (word(runs_folder() / run_id) if run_id else None)
    data: dict[str, object] = {
        "module": live.asset("curve.js"),
        "base": live.base(),
        "run": run_id,
        "chart": chart,
        "flag": _flag(flag),
        "level": _flag(level),
        "word": known,
        "is_low_best": chart not in _HIGH_IS_BEST,
        "unit": view.get("unit", _UNITS.get(chart, chart.replace("_", " "))),
        "ceilings": [dict(line) for line in view.get("ceiling") or ()],
        "x": view.get("x", "epoch"),
        "height": view.get("height", 370),
        "labels": dict(view.get("labels", {})),
        "has_best": view.get("has_best", True),
        "is_log": view.get("is_log", False),
        "can_pick": "on_pick" in view,
        "rules": RULES,
    }
    for name in _AS_THEY_ARE:
        data[name] = view.get(name)
    result = _draw(key=key, data=data, on_status_change=_rerun, on_pick_change=_rerun)
    if result.pick is not None and "on_pick" in view:
        view["on_pick"](int(result.pick))
    return str(result.status) if result.status else None


def _rerun() -> None:
    """Do no more than let the page run again: what was triggered is in the result."""


def _flag(flag: Flag | float | None) -> dict[str, object] | None:
    if flag is None:
        return None
    return asdict(flag if isinstance(flag, Flag) else Flag(float(flag)))
