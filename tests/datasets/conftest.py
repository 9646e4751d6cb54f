"""One desk that all tests of the Alarm Desk read."""

from pathlib import Path

import pytest

from trainer.datasets import Desk, Dials, load, prepare


@pytest.fixture(scope="session")
def data_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A runs folder in which data sets may be made."""
    return tmp_path_factory.mktemp("desk-runs")


@pytest.fixture(scope="session")
def folder(data_runs: Path) -> Path:
    """The default data set."""
    return prepare(data_runs, Dials())


@pytest.fixture(scope="session")
def desk(folder: Path) -> Desk:
    """The default data set, loaded."""
    return load(folder)
