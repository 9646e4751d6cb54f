"""What all tests share: a runs folder of their own, the real server, Chromium, and no telemetry."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import install
from tests.serving import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Read when the libraries load, so set before any test imports them.
os.environ.update(
    OMP_NUM_THREADS="1",
    OMP_WAIT_POLICY="PASSIVE",
    MLFLOW_DISABLE_TELEMETRY="true",
    DO_NOT_TRACK="true",
    STREAMLIT_BROWSER_GATHER_USAGE_STATS="false",
)

PATIENCE_MS = 60_000  # of a journey: a busy machine may take long, a broken page takes for ever
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def shut_down(runs: Path) -> None:
    """Ends every process of a runs folder; a skeleton without an engine has none."""
    if find_spec("trainer") and find_spec("trainer.dispatch"):
        from trainer.dispatch import client

        client.shutdown(runs)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty runs folder that `STAGECOACH_RUNS` names; all its processes are ended afterwards."""
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.setenv("STAGECOACH_RUNS", str(folder))
    yield folder
    shut_down(folder)


@pytest.fixture
def server(runs: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers: `server()` serves the test's own runs folder, `server(folder)` another."""
    with ExitStack() as servers:

        def start(folder: Path | None = None, **options: object) -> Server:
            return servers.enter_context(serving(folder or runs, **options))

        yield start


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where Chromium is. Without one a test skips; on CI it fails."""
    path = install.find_chromium()
    if path is None and os.environ.get("CI") == "true":
        pytest.fail("no Chromium: `make test` installs one; set STAGECOACH_CHROMIUM to its path")
    if path is None:
        pytest.skip("no Chromium here: install it or set STAGECOACH_CHROMIUM to its path")
    return path


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator["Browser"]:
    """A headless browser, one a test module.

    Not one a session: while Playwright's loop lives no other test can call `asyncio.run`.
    """
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


def has_gpu() -> bool:
    """Whether the NVIDIA driver lists a GPU."""
    tool = shutil.which("nvidia-smi")
    return (
        bool(tool) and "GPU" in subprocess.run([tool, "-L"], capture_output=True, text=True).stdout
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test that asks for the browser; skips what needs a GPU where there is none."""
    without_gpu = pytest.mark.skip(reason="no NVIDIA GPU here")
    for item in items:
        if {"chromium", "chromium_path"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)
        if item.get_closest_marker("gpu") and not has_gpu():
            item.add_marker(without_gpu)
