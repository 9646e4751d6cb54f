"""Waiting on a condition, with a deadline that says what did not happen."""

import threading
import time
from collections.abc import Callable

_pause = threading.Event()


def until(happens: Callable[[], object], what: str, deadline_s: float = 30.0) -> None:
    """Returns once `happens()` is true; fails after the deadline."""
    end = time.monotonic() + deadline_s
    while not happens():
        assert time.monotonic() < end, f"within {deadline_s} s not: {what}"
        _pause.wait(0.02)
