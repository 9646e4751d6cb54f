"""Every page at three widths in both themes: drawn, not wider than the screen, all local."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import (
    SECONDS_60,
    Site,
    button,
    plant_and_train,
    run_of,
    see,
    settle,
    shoot,
    wait,
)
from tests.owndata import sheets
from trainer.runs import RunStatus

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
Visit = Callable[..., Page]
PAGES = {
    "home": "/",
    "way": "/way",
    "data": "/data",
    "data-lab": "/data?lab=split_trap",
    "training": "/training",
    "training-lab": "/training?lab=four_brakes",
    "networking": "/networking",
    "networking-lab": "/networking?lab=all_reduce",
    "software": "/software",
    "operations": "/operations",
    "serving": "/serving",
    "runs": "/runs",
    "glossary": "/glossary",
    "objectives": "/objectives",
    "guide": "/objectives?objective=2.10",
}
VIEWS = [(1280, 800, "light"), (1280, 800, "dark"), (768, 1024, "light"), (360, 740, "dark")]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_at_every_width_in_both_themes(
    visit: Visit, shots: Path, name: str
) -> None:
    for width, height, theme in VIEWS:
        page = visit(PAGES[name], width, height, theme)
        page.locator("h1, h2, h3").first.wait_for()
        settle(page)
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is {wide} px wider than {width} px"
        shoot(page, shots, name, width, theme)
        page.context.close()


@pytest.mark.parametrize("name", ["data-lab", "training-lab"])
def test_the_chart_stands_high_and_the_prediction_above_the_fold(visit: Visit, name: str) -> None:
    page = visit(PAGES[name])
    plant = button(page, {"data-lab": "Set the bar", "training-lab": "Plant the flag"}[name])
    plant.wait_for()
    settle(page)
    plot, planting = page.locator(".plot").bounding_box(), plant.bounding_box()
    assert plot
    assert plot["y"] <= 300
    assert planting
    assert planting["y"] + planting["height"] <= 800


def test_an_unknown_run_in_the_address_is_a_sentence(visit: Visit) -> None:
    for name in ("20261130-101512-split_trap-ffff", "../../etc/passwd"):
        page = visit(f"/data?lab=split_trap&run={name}")
        expect(page.get_by_text("There is no run").first).to_be_visible()
        expect(page.locator("[data-testid=stException]")).to_have_count(0)


def test_a_lab_is_run_by_keyboard_alone(visit: Visit) -> None:
    page = visit("/data?lab=split_trap&epochs=2&tickets=1000")
    button(page, "Set the bar").wait_for()
    settle(page)

    def go_to(name: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement?.innerText ?? ''").strip().startswith(name):
                return
        raise AssertionError(f"no way by Tab to {name}")

    go_to("Set the bar")
    page.keyboard.press("Enter")
    expect(button(page, "Train")).to_be_enabled()
    settle(page)
    page.keyboard.press("Control+Home")
    go_to("Train")
    page.keyboard.press("Enter")
    expect(page.get_by_text("What came of it").first).to_be_visible()


def test_the_glossary_finds_a_word_by_another_name_as_one_types(visit: Visit) -> None:
    page = visit("/glossary", 360, 740)
    words, field = page.locator("dt"), page.get_by_role("searchbox", name="Search")
    field.wait_for()
    everything = words.count()
    assert everything >= 120
    assert page.get_by_role("navigation", name="Letters").get_by_role("button").count() >= 20
    field.press_sequentially("multi-instance")
    expect(words).to_have_count(1)
    expect(words.first).to_contain_text("MIG")
    expect(page.get_by_role("status").filter(has_text="words hold")).to_contain_text("1 of")
    field.press("Enter")
    page.wait_for_url("**find=multi-instance*")
    field.fill("no such word")
    expect(page.get_by_text("No word here holds")).to_be_visible()
    field.fill("")
    expect(words).to_have_count(everything)


def test_a_letter_and_a_use_of_the_glossary_are_reached_by_keyboard(visit: Visit) -> None:
    page = visit("/glossary?find=hedge")
    use = page.get_by_role("link", name="Lab 2.5, Four brakes").first
    use.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/training?lab=four_brakes")
    page = visit("/glossary")
    page.get_by_role("button", name="W,").press("Enter")
    head = page.get_by_role("heading", name="W", exact=True)
    expect(head).to_be_focused()
    expect(head).to_be_in_viewport()


def test_a_file_is_brought_looked_through_and_trained_on(
    visit: Visit, site: Site, shots: Path, tmp_path: Path
) -> None:
    place = tmp_path / "mine.csv"
    place.write_bytes(sheets.text())
    page = visit("/training?lab=four_brakes&epochs=2&learner=ada")
    page.get_by_text("Your own data").first.click()
    upload = page.locator("input[type=file]")
    upload.set_input_files(
        {"name": "big.csv", "mimeType": "text/csv", "buffer": b"a,b\n" * (21 << 18)}
    )
    see(page, "must be 20.0MB or smaller")
    upload.set_input_files(place)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("240 rows in 3 classes")).to_be_visible(timeout=SECONDS_60)
    page.screenshot(path=shots / "own-data-1280-light.png")
    button(page, "Use these").click()
    see(page, "No ceiling is drawn")
    plant_and_train(page)
    run = run_of(page, site.runs)
    wait(lambda: run.status is RunStatus.FINISHED, "the run to finish")
    assert run.config.data is not None
    assert run.record.samples["own"]["title"] == "mine.csv"
