"""The kinds of still pictures, one file each: `show(spec, value)`, always with words for it."""

from collections.abc import Callable
from typing import Any

from course.lesson import PictureSpec
from ui.pictures import bars, fingerprint, fit, gantt, matrix, ring, stack, table

KINDS: dict[str, Callable[[PictureSpec, Any], None]] = {
    "bars": bars.show,
    "fit": fit.show,
    "gantt": gantt.show,
    "map": fingerprint.show,
    "matrix": matrix.show,
    "ring": ring.show,
    "stack": stack.show,
    "table": table.show,
}
