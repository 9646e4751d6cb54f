"""The header of a stage page by keyboard and on a phone: what is stale, why, and the way there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import SECONDS_60, Site, see, settle, shoot
from tests.trainer.chain_folder import NEW, champion, four_brakes, split_trap

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
Visit = Callable[..., Page]
STALE = "Stale links: Training, Champion. Why?"


def go_to(page: Page, selector: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        # The route lies in a shadow root: what has the focus is asked for from the outside in.
        found = page.evaluate(
            """selector => {
                let at = document.activeElement;
                while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
                return Boolean(at?.matches(selector));
            }""",
            selector,
        )
        if found:
            return
    raise AssertionError(f"no way by Tab to {selector}")


def test_by_keyboard_one_learns_what_is_stale_and_goes_to_its_run(
    visit: Visit, site: Site, shots: Path
) -> None:
    model = four_brakes(site.runs)
    champion(site.runs, model)
    split_trap(site.runs, NEW)
    page = visit("/software")
    see(page, STALE)
    settle(page)
    reason = page.get_by_text("Trained on other tickets than stage 1 gives now").last
    expect(reason).to_be_hidden()
    go_to(page, "summary")
    page.keyboard.press("Enter")
    expect(reason).to_be_visible(timeout=SECONDS_60)
    shoot(page, shots, "chain-stale")
    page.keyboard.press("Control+Home")
    page.reload()
    see(page, STALE)
    settle(page)
    go_to(page, "a[data-go='1']")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/training?*run={model.id}*")


def test_on_a_phone_the_chain_fits_and_names_the_station_one_is_at(
    visit: Visit, site: Site, shots: Path
) -> None:
    four_brakes(site.runs)
    split_trap(site.runs, NEW)
    page = visit("/training", width=360, height=740, theme="dark")
    here = page.locator("ol.slim + p")
    expect(here).to_contain_text("Training", timeout=SECONDS_60)
    settle(page)
    expect(here).to_contain_text("stale")
    expect(here).to_be_visible()
    stops = page.locator("ol.slim > li > a")
    expect(stops).to_have_count(7)
    for box in (stops.nth(place).bounding_box() for place in range(7)):
        assert box
        assert box["height"] >= 44
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    shoot(page, shots, "chain-stale", 360, "dark")
