"""MLflow's own pages: started on request, on loopback only, ended after ten idle minutes.

`start_pages` starts a supervisor, `python -m trainer.tracking RUNS --pages`, that owns the server.
"""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import psutil

from trainer import events
from trainer.process import Identity, identity
from trainer.tracking import environment
from trainer.tracking.health import check
from trainer.wake import state_folder

IDLE_S = 600.0
_LOOKS_EVERY_S = 2.0  # a browser's connection stays open for five seconds, so each visit is seen
_GRACE_S = 5.0
_FILE = "mlflow-pages.json"
_TRAINING = "workflowType=machine_learning"  # else MLflow opens its pages for language models
_started: dict[Path, subprocess.Popen[bytes]] = {}  # to be collected once they have ended


@dataclass(frozen=True)
class Pages:
    """Where MLflow's pages are; `is_ready` once they answer, some fifteen seconds after."""

    address: str
    is_ready: bool

    @property
    def is_here_only(self) -> bool:
        """Whether only a browser on this machine reaches them."""
        return self.address.startswith("http://127.0.0.1:")

    @property
    def home(self) -> str:
        """Return the address of the list of experiments."""
        return f"{self.address}/#/experiments?{_TRAINING}"

    def run(self, experiment_id: str, mlflow_run_id: str) -> str:
        """Return the address of one run's page."""
        return f"{self.address}/#/experiments/{experiment_id}/runs/{mlflow_run_id}?{_TRAINING}"


def pages(runs: Path) -> Pages | None:
    """Return MLflow's pages if they are up or on their way up; a server of one's own is its own."""
    server = environment.uri(runs)
    if server.startswith("http"):
        return Pages(server.rstrip("/"), is_ready=True)
    if runs in _started and _started[runs].poll() is not None:
        del _started[runs]
    found = _read(runs)
    if found is None or not found[0].is_alive:
        return None
    address = f"http://127.0.0.1:{found[1]}"
    return Pages(address, _answers(address))


def start_pages(runs: Path, port: int = 0) -> Pages:
    """Start MLflow's pages unless they are up; return their address at once.

    `port` 0 takes a free one.

    Raises:
        HistoryError: when there is no store to show.
    """
    found = pages(runs)
    if found is not None:
        return found
    check(runs)
    port = port or _free_port()
    with (state_folder(runs) / "mlflow-pages.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "trainer.tracking", str(runs), "--pages", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=Path(__file__).resolve().parents[2],
        )
    _started[runs] = process
    _write(runs, identity(process.pid), port)
    return Pages(f"http://127.0.0.1:{port}", is_ready=False)


def stop_pages(runs: Path) -> bool:
    """End MLflow's pages; False if they were not up."""
    found = _read(runs)
    if found is None:
        return False
    supervisor, port = found
    was_up = supervisor.send(signal.SIGTERM)
    deadline = time.monotonic() + 2 * _GRACE_S
    while supervisor.is_alive and time.monotonic() < deadline:
        time.sleep(0.05)
    supervisor.send(signal.SIGKILL)
    left = _servers(port)  # of a supervisor that was killed
    for process in left:
        _send(process, signal.SIGKILL)
    if runs in _started:
        _started.pop(runs).wait(_GRACE_S)
    return was_up or bool(left)


def supervise(runs: Path, port: int, idle_s: float = IDLE_S) -> None:
    """Run MLflow's server until asked to end, until it ends, or until it was idle for so long."""

    def ask(_number: int, _frame: object) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, ask)
    server = _serve(runs, port)
    try:
        used_at = time.monotonic()
        has_dispatcher = (state_folder(runs) / "dispatcher.json").exists
        began_with_one = has_dispatcher()
        while server.poll() is None and time.monotonic() - used_at < idle_s:
            if began_with_one and not has_dispatcher():
                return  # it left in order: the app was stopped
            if _is_used(port):
                used_at = time.monotonic()
            time.sleep(_LOOKS_EVERY_S)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not cut this short
        _end(server)


def _serve(runs: Path, port: int) -> subprocess.Popen[bytes]:
    environment.apply()
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", "1", "--backend-store-uri", environment.uri(runs)]
    command += ["--default-artifact-root", (runs / "mlartifacts").as_uri(), "--no-serve-artifacts"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=state_folder(runs))


def _end(server: subprocess.Popen[bytes]) -> None:
    """End the server and what it started; all of them are in this process's group."""
    family = [psutil.Process(server.pid)] if psutil.pid_exists(server.pid) else []
    family += [child for process in family for child in process.children(recursive=True)]
    for process in family:
        _send(process, signal.SIGTERM)
    _, left = psutil.wait_procs(family, timeout=_GRACE_S)
    for process in left:
        _send(process, signal.SIGKILL)


def _servers(port: int) -> list[psutil.Process]:
    """Return the processes that serve MLflow on this port, by their command line."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if {"--port", str(port)} <= set(process.info["cmdline"] or ())
        and any("mlflow" in word for word in process.info["cmdline"])
    ]


def _send(process: psutil.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return


def _is_used(port: int) -> bool:
    return any(
        found.status == psutil.CONN_ESTABLISHED and found.laddr and found.laddr.port == port
        for process in (psutil.Process(), *psutil.Process().children(recursive=True))
        for found in process.net_connections("tcp4")
    )


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=0.3) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _write(runs: Path, who: Identity, port: int) -> None:
    body = json.dumps(who.as_dict() | {"port": port})
    events.replace(state_folder(runs) / _FILE, body.encode())


def _read(runs: Path) -> tuple[Identity, int] | None:
    place = state_folder(runs) / _FILE
    who = Identity.read(place)
    return (who, int(json.loads(place.read_bytes())["port"])) if who else None
