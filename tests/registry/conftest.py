"""One small data set and one export of each model for all tests of the registry."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.registry import kept_runs
from trainer.registry import export
from trainer.run import Run
from trainer.sets import Sets


@dataclass(frozen=True)
class Shop:
    """A runs folder, and what makes finished runs in it."""

    runs: Path
    data: Sets

    def finished(self, seed: int = 1, **config: Any) -> Run:
        return kept_runs.finished(self.runs, self.data, seed, **config)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Sets]:
    state = torch.get_rng_state()
    folder = tmp_path_factory.mktemp("registry") / "runs"
    folder.mkdir()
    made = folder, kept_runs.sets(folder)
    torch.set_rng_state(state)
    return made


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ONNX files by the hash of their weights."""
    return tmp_path_factory.mktemp("exports")


@pytest.fixture
def shop(
    runs: Path, template: tuple[Path, Sets], exports: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shop]:
    """A folder with the data set, no history, and an exporter that exports each model once."""
    monkeypatch.setenv("STAGECOACH_HISTORY", "off")
    monkeypatch.setattr(export, "write", kept_runs.writing_once(export.write, exports))
    shutil.copytree(template[0], runs, dirs_exist_ok=True)
    state = torch.get_rng_state()
    yield Shop(runs, template[1])
    torch.set_rng_state(state)
