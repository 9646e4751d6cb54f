"""What `make` calls: starts Stagecoach, ends it, sets it up for the tests.

    python launch.py run | stop | setup | setup-dev | setup-test

Getting the machine ready is `install.py`'s, training is the engine's. Standard library only.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import install
from install import PYTHON, ROOT, SetupError, say

HOST = "127.0.0.1"
START_LIMIT_S = 120
# No telemetry, and no thread pools: a lab sets its own threads.
QUIET = {
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
}


def runs_folder() -> Path:
    """The folder that holds all runs: STAGECOACH_RUNS, else `./runs`."""
    return Path(os.environ.get("STAGECOACH_RUNS") or "runs").absolute()


def chosen_port() -> int:
    """The port to serve on: STAGECOACH_PORT, else 8501."""
    text = os.environ.get("STAGECOACH_PORT") or "8501"
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise SetupError(f"STAGECOACH_PORT must be a number from 1 to 65535; it is {text!r}.")
    return int(text)


def check_port(port: int) -> None:
    """Refuses a port that another program listens on or that we may not open."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            reason = "not allowed" if isinstance(error, PermissionError) else "already taken"
            raise SetupError(
                f"port {port} is {reason}: choose another, `make run STAGECOACH_PORT={port + 99}`."
            ) from None


def is_healthy(address: str) -> bool:
    """Whether a server answers at this address."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{address}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def started_at(pid: int) -> "str | None":
    """When a living process started: no later process of the same number shares it."""
    if not sys.platform.startswith("linux"):
        command = ["ps", "-o", "lstart=", "-p", str(pid)]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip() or None
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    return None if fields[0] == "Z" else f"{boot} {fields[19]}"


def is_alive(identity: "dict[str, Any]") -> bool:
    """Whether this very process lives, not another that was given its number."""
    return bool(started_at(int(identity["pid"])) == identity["started"] is not None)


def remember(runs: Path, pid: int, address: str) -> "dict[str, Any]":
    """Writes down which process serves these runs, so that `stop` never hits another."""
    identity = {"pid": pid, "started": started_at(pid), "address": address}
    draft = runs / "server.json.new"
    draft.write_text(json.dumps(identity))
    draft.replace(runs / "server.json")
    return identity


def recall(runs: Path) -> "dict[str, Any] | None":
    """The server of these runs as it was written down, if that very process still lives."""
    try:
        identity = json.loads((runs / "server.json").read_text())
        return dict(identity) if is_alive(identity) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def start_server(
    runs: Path, port: int, python: "Path | str" = PYTHON, **environment: str
) -> "subprocess.Popen[bytes]":
    """Starts Streamlit in a session of its own, with its words in the runs folder."""
    command = [
        *(str(python), "-m", "streamlit", "run", str(ROOT / "app.py")),
        *("--server.address", HOST, "--server.port", str(port), "--server.headless", "true"),
    ]
    with (runs / "server.log").open("ab") as log:
        return subprocess.Popen(
            command,
            cwd=str(ROOT),
            env={**QUIET, **os.environ, "STAGECOACH_RUNS": str(runs), **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def wait_until_healthy(server: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    """Returns when the server answers; says so when it ended instead or takes too long."""
    deadline = time.monotonic() + START_LIMIT_S
    while not is_healthy(address):
        if server.poll() is not None:
            reason = install.last_line(log.read_text())
            raise SetupError(f"the server ended while starting: {reason} The whole log: {log}")
        if time.monotonic() > deadline:
            raise SetupError(f"the server did not answer within {START_LIMIT_S} s; see {log}.")
        time.sleep(0.1)


def open_browser(address: str) -> None:
    """Opens the address where there is a screen and a browser; never on CI."""
    command = [sys.executable, "-m", "webbrowser", address]
    if shutil.which("wslview"):
        command = ["wslview", address]
    elif sys.platform != "darwin" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
        return
    if not os.environ.get("CI"):
        silent = subprocess.DEVNULL
        subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent)


def run() -> int:
    """Installs what is missing and serves the app until Ctrl-C; runs outlive it."""
    install.packages("requirements.txt")
    runs, port = runs_folder(), chosen_port()
    running = recall(runs)
    if running:
        say(f"Stagecoach is already running: {running['address']}")
        open_browser(running["address"])
        return 0
    check_port(port)
    runs.mkdir(parents=True, exist_ok=True)
    return serve(runs, port)


def serve(runs: Path, port: int) -> int:
    """Starts the server, says where it is, and waits for its end."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    address = f"http://{HOST}:{port}"
    server = start_server(runs, port)
    identity = remember(runs, server.pid, address)
    try:
        wait_until_healthy(server, address, runs / "server.log")
        say(f"Stagecoach is running: {address}")
        say("Ctrl-C closes the app and lets runs go on; `make stop` ends everything.")
        open_browser(address)
        code = server.wait()
    except KeyboardInterrupt:
        code = 0
    finally:
        end(identity)
    if code not in (0, -signal.SIGTERM):
        raise SetupError(f"the server ended with code {code}; see {runs / 'server.log'}.")
    say("The app is closed. Runs that were under way go on; `make stop` ends them.")
    return 0


def end(identity: "dict[str, Any]", grace_s: float = 10) -> None:
    """Ends a server and what it started in its session: SIGTERM, then SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not is_alive(identity):
            return
        os.killpg(identity["pid"], number)
        deadline = time.monotonic() + grace_s
        while is_alive(identity) and time.monotonic() < deadline:
            time.sleep(0.05)


def stop() -> int:
    """Ends the app, and every run, queue and recorder of this runs folder."""
    runs = runs_folder()
    running = recall(runs)
    if running:
        end(running)
        say(f"The app at {running['address']} is closed.")
    if not runs.is_dir() or not install.starts(PYTHON):
        say("Nothing is running.")
        return 0
    environment = {**os.environ, "STAGECOACH_RUNS": str(runs)}
    command = [str(PYTHON), "-m", "trainer.dispatch", "stop"]
    return subprocess.call(command, cwd=str(ROOT), env=environment)


def setup(packages: str = "requirements.txt", browser: bool = False) -> int:
    """Makes `.venv` with a list of packages, and finds or installs the tests' browser."""
    install.packages(packages)
    if browser:
        install.chromium()
    return 0


COMMANDS: "dict[str, Callable[[], int]]" = {
    "run": run,
    "stop": stop,
    "setup": setup,
    "setup-dev": partial(setup, "requirements-dev.txt"),
    "setup-test": partial(setup, "requirements-dev.txt", browser=True),
}


def main(arguments: "list[str]") -> int:
    """Runs one command; whatever stands in the way is one line and a code that is not 0."""
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        say("Usage: python launch.py " + " | ".join(COMMANDS))
        return 2
    try:
        install.check_system()
        install.check_python()
        return COMMANDS[arguments[0]]()
    except (SetupError, OSError) as error:
        print(f"Stagecoach: {install.words(error)}", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
