"""Through all six stages with one's own model, to an answer; and the same in one click."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import Site, button, lab_button, plant_and_train, run_of, see, settle, shoot
from trainer import chain, registry, tour
from trainer.runs import Run, RunStatus

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]
Visit = Callable[..., Page]
LONG_MS = 300_000  # ten times what the longest of these runs takes on an idle machine


def train(page: Page, site: Site, stage: str, lab: str, settings: str) -> Run:
    """Open a lab, say nothing certain, train, and wait for the end."""
    page.goto(f"{site.address}/{stage}?lab={lab}&learner=ada&{settings}")
    settle(page)
    plant_and_train(page)
    button(page, "Start again").wait_for(timeout=LONG_MS)
    settle(page)
    run = run_of(page, site.runs)
    assert run.status is RunStatus.FINISHED, run.error
    assert run.config.learner == "ada"
    return run


def test_ones_own_model_goes_through_all_six_stages_and_answers(
    visit: Visit, site: Site, shots: Path
) -> None:
    page = visit("/?learner=ada")
    page.get_by_role("link", name="Start with stage 1").click()
    page.wait_for_url("**/data*learner=ada*")
    split = train(page, site, "data", "split_trap", "epochs=4&tickets=2000")
    model = train(page, site, "training", "four_brakes", "epochs=6")
    assert model.config.data == f"{split.record.samples['data']}.device"
    spread = train(page, site, "networking", "same_maths", "workers=2&steps=30")
    traced = train(page, site, "software", "follow_one_multiply", "steps=60")
    mended = train(page, site, "operations", "xid_night_shift", "fault_step=60")
    assert {run.config.parent for run in (spread, traced, mended)} == {model.id}

    page.goto(f"{site.address}/training?run={model.id}&learner=ada")
    lab_button(page, "Register as version 1").click()
    see(page, "This run is version 1 of alarm-desk.ada")
    [version] = registry.versions(site.runs, "ada")
    assert version.run == model.id

    loaded = train(page, site, "serving", "latency_or_throughput", "seconds=0.5&steps=200")
    assert loaded.config.parent == model.id
    assert {link.state for link in chain.chain(site.runs, "ada")} == {"fresh"}
    expect(page.get_by_text("Stale links")).to_have_count(0)
    lab_button(page, "Ask the champion").click(timeout=LONG_MS)
    see(page, "Answered by version 1")
    page.get_by_text("Answered by version 1").first.scroll_into_view_if_needed()
    shoot(page, shots, "six_stages-answer")


def test_ninety_seconds_lead_through_all_of_it(visit: Visit, site: Site, shots: Path) -> None:
    page = visit("/")
    button(page, "See it all in ninety seconds").click()
    see(page, "Ninety seconds, all six stages")
    page.wait_for_url("**tour=*")
    see(page, "Done. Make the tickets")
    shoot(page, shots, "ninety-on_its_way")
    page.reload()  # it belongs to no page
    expect(page.get_by_text("All of it took")).to_be_visible(timeout=LONG_MS)
    settle(page)
    shoot(page, shots, "ninety-done")
    phone = visit(page.url.removeprefix(site.address), width=360, height=740, theme="dark")
    see(phone, "All of it took")
    shoot(phone, shots, "ninety-done", 360, "dark")
    told = tour.newest(site.runs, "local")
    assert told is not None
    assert told.is_done
    assert all(leg.figure for leg in told.legs)
    print(f"ninety seconds took {told.seconds:.0f} s: {[leg.seconds for leg in told.legs]}")
