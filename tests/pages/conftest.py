"""What the tests of the pages share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import folders
from trainer import runs as folder
from trainer.dispatch import client
from trainer.runs import Run, RunConfig


@pytest.fixture(autouse=True)
def _no_worker_stays() -> Iterator[None]:
    yield
    folders.end_workers()


@pytest.fixture
def asked(runs: Path, monkeypatch: pytest.MonkeyPatch) -> list[RunConfig]:
    """What was submitted; nothing is trained."""
    folders.write_catalogue(runs)
    configs: list[RunConfig] = []

    def submit(where: Path, config: RunConfig) -> Run:
        configs.append(config)
        return folder.create(where, config)

    monkeypatch.setattr(client, "submit", submit)
    return configs
