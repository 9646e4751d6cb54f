"""Tell the dispatcher that a folder has news, without waiting; it looks by itself as well."""

import contextlib
import os
import time
from pathlib import Path

STATE = ".dispatcher"  # the dispatcher's own files, inside the runs folder
PIPE = "wake"
CHILDREN = "children"  # the child runs of a run, inside its folder


def runs_of(run: Path) -> Path:
    """Return the runs folder that a run lies in; a child run lies in it by way of its parent."""
    home = run.parent
    return home.parent.parent if home.name == CHILDREN else home


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


def listen(state: Path) -> int:
    """Return the descriptor of the bell, made on first use; it becomes readable when rung."""
    with contextlib.suppress(FileExistsError):
        os.mkfifo(state / PIPE)
    # For reading and writing, so that it never reports an end when the last ringer leaves.
    return os.open(state / PIPE, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)


def was_seen(state: Path, within_s: float) -> bool:
    """Whether an app or a command line has shown itself lately."""
    seen = state / "seen"
    return seen.exists() and time.time() - seen.stat().st_mtime < within_s
