"""MLflow's own pages: up on request, on this machine only, and gone without a rest."""

import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.history import writer
from tests.history.waiting import until
from trainer import tracking
from trainer.tracking import HistoryError, mlflow_pages
from trainer.tracking.recorder import Recorder

pytestmark = pytest.mark.filterwarnings("ignore:The ``noload``:DeprecationWarning")


@pytest.fixture(autouse=True)
def _no_page_stays(runs: Path) -> Iterator[None]:
    yield
    tracking.stop_pages(runs)


@pytest.fixture
def idle_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """A process that stands for MLflow's server and serves nobody."""
    started: list[subprocess.Popen[bytes]] = []

    def serve(_runs: Path, _port: int) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE))
        return started[-1]

    monkeypatch.setattr(mlflow_pages, "_serve", serve)
    monkeypatch.setattr(mlflow_pages, "_LOOKS_EVERY_S", 0.05)
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_without_a_store_there_are_no_pages(runs: Path) -> None:
    with pytest.raises(HistoryError, match="not there yet"):
        tracking.start_pages(runs)
    assert tracking.pages(runs) is None
    assert not tracking.stop_pages(runs)


def test_pages_that_nobody_looks_at_end_by_themselves(
    runs: Path, idle_server: list["subprocess.Popen[bytes]"]
) -> None:
    mlflow_pages.supervise(runs, 1, idle_s=0.2)
    assert idle_server[0].wait(10) is not None


def test_pages_end_when_the_app_is_stopped(
    runs: Path, idle_server: list["subprocess.Popen[bytes]"]
) -> None:
    sign = runs / ".dispatcher" / "dispatcher.json"
    sign.parent.mkdir()
    sign.write_text("{}")
    threading.Timer(0.2, sign.unlink).start()
    mlflow_pages.supervise(runs, 1, idle_s=60)
    assert idle_server[0].wait(10) is not None


@pytest.mark.slow
def test_the_real_pages_answer_here_alone_and_leave_no_process(runs: Path) -> None:
    writer.finished(runs)
    Recorder(runs).look()
    address = tracking.start_pages(runs).address
    assert tracking.start_pages(runs).address == address
    until(lambda: (up := tracking.pages(runs)) and up.is_ready, "MLflow answers", 90)
    with urllib.request.urlopen(f"{address}/", timeout=10) as answer:
        assert b"MLflow" in answer.read()
    foreign = urllib.request.Request(f"{address}/", headers={"Host": "example.org"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(foreign, timeout=10)
    port = int(address.rpartition(":")[2])
    listening = {c.laddr.ip for c in psutil.net_connections("tcp") if c.laddr.port == port}
    assert listening == {"127.0.0.1"}
    family = mlflow_pages._servers(port)
    assert family
    assert tracking.stop_pages(runs)
    assert not any(process.is_running() for process in family)
    assert tracking.pages(runs) is None
