"""Tell the dispatcher that a folder has news, without waiting; it looks by itself as well."""

import contextlib
import os
from pathlib import Path

STATE = ".dispatcher"  # the dispatcher's own files, inside the runs folder
PIPE = "wake"


def state_folder(runs: Path) -> Path:
    """Return the folder of the dispatcher's own files, made on first use."""
    folder = runs / STATE
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def wake(runs: Path) -> bool:
    """Ring the bell; False if nobody listens."""
    try:
        pipe = os.open(runs / STATE / PIPE, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with contextlib.suppress(BlockingIOError):  # a full pipe rings as well
        os.write(pipe, b"\n")
    os.close(pipe)
    return True
