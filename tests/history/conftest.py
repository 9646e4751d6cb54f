"""What the history's tests share: an empty store kept for all of them, and one look at MLflow."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True, scope="session")
def _empty_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Lets every store of this session be a copy of one, made once."""
    kept = pytest.MonkeyPatch()
    kept.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    kept.delenv("MLFLOW_TRACKING_URI", raising=False)
    yield
    kept.undo()


Ask = Callable[..., list[tuple[object, ...]]]


@pytest.fixture
def ask(runs: Path) -> Ask:
    """Reads the store with SQL, past all of our code and MLflow's."""

    def rows(question: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(runs / "mlflow.db")) as store:
            return store.execute(question).fetchall()

    return rows


@pytest.fixture(autouse=True)
def _signals_stay() -> Iterator[None]:
    """Gives the signals that a recorder in this process takes for itself back to pytest."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def recorder_process(runs: Path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts real recorders; none outlives the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "trainer.tracking", str(runs)]
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
