"""The kinds of still pictures, one file each: `show(spec, value)`, always with words for it."""

from collections.abc import Callable
from typing import Any

from course.lesson import PictureSpec
from ui.pictures import (
    bars,
    code,
    fingerprint,
    fit,
    gantt,
    goodput,
    histogram,
    links,
    matrix,
    night,
    ring,
    service,
    stack,
    table,
    trade,
)

KINDS: dict[str, Callable[[PictureSpec, Any], None]] = {
    "bars": bars.show,
    "code": code.show,
    "fit": fit.show,
    "gantt": gantt.show,
    "goodput": goodput.show,
    "histogram": histogram.show,
    "links": links.show,
    "map": fingerprint.show,
    "matrix": matrix.show,
    "night": night.show,
    "ring": ring.show,
    "service": service.show,
    "stack": stack.show,
    "table": table.show,
    "trade": trade.show,
}
