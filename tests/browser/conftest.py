"""A real server, a real browser, and a log of every request that either of them makes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.site import Site
from tests.serving import serving
from trainer.dispatch import client


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One server for a module's journeys, with an empty runs folder at its start."""
    runs = tmp_path_factory.mktemp("site") / "runs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAGECOACH_RUNS", str(runs))
        with serving(runs) as server:
            yield Site(server.address, server.port, runs, server)
        client.shutdown(runs)


@pytest.fixture
def visit(chromium: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """Open a page of the site in a browser of its own; a request to elsewhere fails the test."""
    foreign: list[str] = []
    with ExitStack() as opened:

        def open_page(
            path: str, width: int = 1280, height: int = 800, theme: str = "light"
        ) -> Page:
            viewport = {"width": width, "height": height}
            context = chromium.new_context(viewport=viewport, color_scheme=theme)  # type: ignore[arg-type]
            opened.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.on("request", lambda request: _note(request.url, foreign))
            page.goto(site.address + path)
            return page

        yield open_page
    assert not foreign, f"requests that leave the machine: {foreign}"


def _note(url: str, foreign: list[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1",):
        foreign.append(url)


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where journeys leave their pictures."""
    folder = Path(__file__).resolve().parents[2] / "build" / "shots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
