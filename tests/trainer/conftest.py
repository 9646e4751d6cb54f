"""One dispatcher for a module's tests: starting one costs seconds of loading torch."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from trainer.dispatch import client
from trainer.errors import BadState
from trainer.runs import list_runs


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("engine") / "runs"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAGECOACH_RUNS", str(folder))
        patch.setenv("STAGECOACH_SLOTS", "4")
        patch.setenv("STAGECOACH_HISTORY", "off")
        yield folder
        client.shutdown(folder)


@pytest.fixture
def runs(engine: Path) -> Iterator[Path]:
    yield engine
    for run in list_runs(engine):
        if not run.has_ended:
            try:
                run.stop()
            except BadState:
                continue


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a dispatcher of its own, for tests that need another environment."""
    monkeypatch.setenv("STAGECOACH_RUNS", str(tmp_path))
    monkeypatch.setenv("STAGECOACH_HISTORY", "off")
    yield tmp_path
    client.shutdown(tmp_path)
