"""What the live tests share: run folders by the contract, worker stand-ins, and a small server."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import launch
from tests.live.writer import Writer
from tests.serving import Server, free_port, wait_until

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RUN = "20261130-101512-four_brakes-00a1"


@pytest.fixture
def writer(runs: Path) -> Iterator[Writer]:
    """A queued run in the test's runs folder; its worker is a process that only lives."""
    lives = subprocess.Popen(["sleep", "600"], start_new_session=True)
    made = Writer(runs / RUN, lives.pid)
    made.queue()
    yield made
    lives.kill()
    lives.wait(10)


@pytest.fixture
def worker(runs: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a stand-in for the worker on the run: `worker("--upto", "300", "--end", "")`."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.live.writer", str(runs / RUN), *options]
        started.append(subprocess.Popen(command, cwd=ROOT, start_new_session=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait(10)


@pytest.fixture
def live_server(runs: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers of the one-chart app: `live_server()`, or on a port of before."""
    servers: list[Server] = []

    def start(port: int | None = None) -> Server:
        port = port or free_port()
        log = runs.parent / "live.log"
        command = [sys.executable, "-m", "streamlit", "run", str(HERE / "app.py")]
        command += ["--server.port", str(port), "--server.headless", "true"]
        environment = {**os.environ, "STAGECOACH_RUNS": str(runs)}
        with log.open("ab") as output:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        server = Server(f"http://127.0.0.1:{port}", port, log, process)
        servers.append(server)
        wait_until(lambda: launch.is_healthy(server.address), f"a server, see {log}", 60)
        return server

    yield start
    for server in servers:
        server.stop()
