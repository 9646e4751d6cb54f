"""Who a process is: host, boot, pid and start time together, so a reused pid is never mistaken."""

import contextlib
import json
import os
import signal
import socket
import threading
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import psutil

from trainer import events

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Identity:
    """One process for all time; `started` is the kernel's own start time (ticks on Linux)."""

    host: str
    boot_id: str
    pid: int
    started: float

    def as_dict(self) -> dict[str, Any]:
        """Return what is written into `worker.json`."""
        return asdict(self)

    def write(self, place: Path) -> None:
        """Put the identity into a file, in one piece."""
        events.replace(place, json.dumps(self.as_dict()).encode())

    @classmethod
    def read(cls, place: Path) -> Self | None:
        """Return the identity that a file holds; None where there is none."""
        try:
            values = json.loads(place.read_bytes())
            pid, started = int(values["pid"]), float(values["started"])
            return cls(values["host"], values["boot_id"], pid, started)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def is_here(self) -> bool:
        """Whether this host may judge the process by its pid."""
        return self.host == socket.gethostname()

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs; a zombie has ended, whoever has yet to collect it."""
        if not self.is_here or self.boot_id != boot_id():
            return False
        return _state(self.pid) == (self.started, True)

    @property
    def is_held(self) -> bool:
        """Whether the process was stopped by a signal and waits for SIGCONT: it does nothing."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return self.is_alive and psutil.Process(self.pid).status() == psutil.STATUS_STOPPED
        return False

    def send(self, number: signal.Signals, *, group: bool = False) -> bool:
        """Send a signal to the process, or to its whole group; False if it is gone."""
        if not self.is_alive:
            return False
        try:
            (os.killpg if group else os.kill)(self.pid, number)
        except ProcessLookupError:
            return False
        return True

    def end_group(self) -> None:
        """Kill what is left of the group of a process that has ended, for example its ranks.

        A group keeps its number as long as one member lives; a new process means another's.
        """
        state = _state(self.pid)
        if self.is_here and (state is None or state[0] == self.started):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)


def identity(pid: int | None = None) -> Identity:
    """Return a living process's identity, this one's by default; else ProcessLookupError."""
    pid = os.getpid() if pid is None else pid
    state = _state(pid)
    if state is None:
        raise ProcessLookupError(pid)
    return Identity(socket.gethostname(), boot_id(), pid, state[0])


@cache
def boot_id() -> str:
    """Return a name of this boot of the machine."""
    return _BOOT.read_text().strip() if _BOOT.exists() else str(int(psutil.boot_time()))


def threads() -> int:
    """Return how many threads this process has, also those that a library started."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else threading.active_count()


def _state(pid: int) -> tuple[float, bool] | None:
    """Return start time and whether it runs (not a zombie), or None for a pid that nobody has."""
    try:
        # The name in brackets may hold spaces and brackets; after the last one places are fixed.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return float(fields[19]), fields[0] not in (b"Z", b"X")
    except (FileNotFoundError, ProcessLookupError):
        return _state_elsewhere(pid) if not Path("/proc/self/stat").exists() else None


def _state_elsewhere(pid: int) -> tuple[float, bool] | None:
    try:
        process = psutil.Process(pid)
        return process.create_time(), process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return None
