"""Starts the real server for a test and ends it again; waits on conditions, never on the clock."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import launch


@dataclass(frozen=True)
class Server:
    """A Stagecoach server of a test: where it answers, what it wrote, how to end it."""

    address: str
    port: int
    log: Path
    process: subprocess.Popen[bytes]

    def stop(self, grace_s: float = 10) -> None:
        """Ends the server with SIGTERM, after the grace time with SIGKILL; its children too."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(grace_s)

    def kill(self) -> None:
        """Ends the server as a crash would: signal 9, nothing tidied up."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)


def wait_until(holds: Callable[[], object], what: str, deadline_s: float = 30) -> None:
    """Returns as soon as `holds()` is true; fails naming `what` when the deadline has passed."""
    end = time.monotonic() + deadline_s
    while not holds():
        assert time.monotonic() < end, f"after {deadline_s:g} s still not: {what}"
        time.sleep(0.02)


def free_port() -> int:
    """A port on loopback that nobody listens on right now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def serving(
    runs: Path, port: int | None = None, deadline_s: float = 120, **environment: str
) -> Iterator[Server]:
    """Serves `app.py` over the given runs folder, ready to be asked; ended when the block is left.

    The dispatcher and the runs it started live on, as in real life: the fixture `runs` ends them.
    """
    port = port or free_port()
    runs.mkdir(parents=True, exist_ok=True)
    process = launch.start_server(runs, port, sys.executable, **environment)
    address, log = f"http://127.0.0.1:{port}", runs / "server.log"
    server = Server(address, port, log, process)

    def has_answered() -> bool:
        assert process.poll() is None, f"the server ended while starting:\n{log.read_text()}"
        return launch.is_healthy(address)

    try:
        wait_until(has_answered, f"the server answers (its log: {log})", deadline_s)
        yield server
    finally:
        server.stop()
