"""What the journeys do on a page, in a visitor's words."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.serving import Server, wait_until
from trainer import runs as folder
from trainer.runs import Run

SECONDS_60 = 60_000


@dataclass
class Site:
    """The served app and its runs folder."""

    address: str
    port: int
    runs: Path
    server: Server


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def lab_button(page: Page, name: str) -> Locator:
    """A button of the page itself, by a word as it is written: a popover may be about *step*."""
    return page.get_by_test_id("stMain").get_by_role("button", name=re.compile(rf"\b{name}\b"))


def settle(page: Page) -> None:
    """Wait until the script has run and nothing is being loaded."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_function(
        "!document.querySelector('[data-testid=stStatusWidget], [data-testid=stSkeleton]')"
    )


def plant_and_train(page: Page) -> None:
    """Say nothing certain, then start the run."""
    button(page, "No idea").click()
    train = button(page, "Train")
    expect(train).to_be_enabled(timeout=SECONDS_60)
    train.click()
    page.wait_for_url("**run=**")


def run_of(page: Page, runs: Path) -> Run:
    return folder.find(runs, parse_qs(urlsplit(page.url).query)["run"][0])


def see(page: Page, words: str) -> None:
    expect(page.get_by_text(words).first).to_be_visible(timeout=SECONDS_60)


def wait(condition: Callable[[], object], what: str) -> None:
    wait_until(condition, what, 60)


def shoot(page: Page, shots: Path, name: str, width: int = 1280, theme: str = "light") -> None:
    settle(page)
    if "lab=" in page.url:  # the picture is of the curve, which draws itself after the page
        page.locator("canvas").first.wait_for()
    page.screenshot(path=shots / f"{name}-{width}-{theme}.png")
