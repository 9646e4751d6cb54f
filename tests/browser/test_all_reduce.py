"""The all-reduce lab in a browser: counted to the end, and its replay moves only where it may."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import SECONDS_60, Site, button, plant_and_train, run_of, see, shoot
from trainer.runs import RunStatus

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
Visit = Callable[..., Page]
SMALL = "/networking?lab=all_reduce&largest_kib=64&rounds=3"


def test_a_run_is_counted_and_its_log_replayed(visit: Visit, site: Site, shots: Path) -> None:
    page = visit(SMALL)
    expect(button(page, "Write it down")).to_be_visible(timeout=SECONDS_60)
    plant_and_train(page)
    see(page, "What came of it")
    run = run_of(page, site.runs)
    assert run.status is RunStatus.FINISHED
    assert run.finding is not None
    assert run.finding.value == 1.5
    ring = page.get_by_role("img", name="24 sends")
    expect(ring).to_be_visible(timeout=SECONDS_60)
    expect(ring).to_contain_text("1.50\N{MULTIPLICATION SIGN}", timeout=SECONDS_60)
    shoot(page, shots, "all_reduce-finished")


def test_with_less_motion_the_replay_stands_still_and_goes_send_by_send(visit: Visit) -> None:
    page = visit(SMALL)
    page.emulate_media(reduced_motion="reduce")
    expect(button(page, "Write it down")).to_be_visible(timeout=SECONDS_60)
    plant_and_train(page)
    see(page, "What came of it")
    clock = page.locator(".clock")
    expect(clock).to_contain_text("24 of 24 sends", timeout=SECONDS_60)
    expect(button(page, "Play")).to_be_visible()
    button(page, "Next send").click()
    expect(clock).to_contain_text("0 of 24 sends")
    button(page, "Next send").click()
    expect(clock).to_contain_text("of 24 sends")
    expect(clock).not_to_contain_text("0 of 24 sends")
