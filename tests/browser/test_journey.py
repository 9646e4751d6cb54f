"""A newcomer's way through a lab: predict, train, watch, stop, resume; reloads and kills."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import (
    SECONDS_60,
    Site,
    button,
    lab_button,
    plant_and_train,
    run_of,
    see,
    settle,
    shoot,
    wait,
)
from tests.serving import serving
from trainer.runs import RunStatus

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
Visit = Callable[..., Page]
LONG = "/data?lab=split_trap&epochs=100&width=256&tickets=12000"


def test_a_fresh_servers_first_request_is_a_deep_link_and_trains_to_the_end(
    visit: Visit, site: Site, shots: Path
) -> None:
    page = visit("/data?lab=split_trap")
    see(page, "Why does a good validation score collapse in use?")
    button(page, "Set the bar").click(timeout=SECONDS_60)
    expect(button(page, "Train")).to_be_enabled(timeout=SECONDS_60)
    shoot(page, shots, "split_trap-planted")
    button(page, "Train").click()
    see(page, "What came of it")
    run = run_of(page, site.runs)
    assert run.status is RunStatus.FINISHED
    assert run.config.prediction is not None
    see(page, f"Finished, {run.step:,} steps in")
    expect(page.locator(".progress + .chip")).to_be_visible()
    shoot(page, shots, "split_trap-finished")
    other = visit(page.url.removeprefix(site.address), width=360, height=740, theme="dark")
    see(other, "What came of it")
    shoot(other, shots, "split_trap-finished", 360, "dark")


def test_a_run_survives_reload_second_browser_pause_step_stop_and_resume(
    visit: Visit, site: Site, shots: Path
) -> None:
    page = visit(LONG)
    button(page, "No idea").wait_for()
    plant_and_train(page)
    lab_button(page, "Pause").click()
    see(page, "Paused at")
    run = run_of(page, site.runs)
    wait(lambda: run.is_paused, "the run is paused")
    shoot(page, shots, "split_trap-paused")
    before = run.step
    lab_button(page, "Step").click()
    wait(lambda: run.step == before + 1, "one step is done")
    page.reload()
    see(page, "Paused at")
    second = visit(page.url.removeprefix(site.address))
    see(second, "Paused at")
    button(second, "Resume").click()
    wait(lambda: not run.is_paused and run.step > before + 1, "the run goes on")
    lab_button(page, "Pause").wait_for()  # the first browser has noticed as well
    settle(page)
    lab_button(page, "Stop").click()
    see(page, "Resume from")
    assert run.status is RunStatus.KILLED
    shoot(page, shots, "split_trap-stopped")
    lab_button(page, "Resume from").click()
    wait(lambda: run.status is RunStatus.RUNNING, "the run goes on again")
    run.stop()


def test_on_a_phone_the_chart_stands_still_between_running_and_paused(
    visit: Visit, site: Site, shots: Path
) -> None:
    page = visit(LONG, width=360, height=740)
    button(page, "No idea").wait_for()
    plant_and_train(page)
    pause, plot = lab_button(page, "Pause"), page.locator(".plot").first
    see(page, " to go")
    settle(page)
    row = [pause, lab_button(page, "Step"), lab_button(page, "Stop")]
    wait(lambda: len({each.bounding_box()["y"] for each in row}) == 1, "one row of buttons")  # type: ignore[index]
    for gone in ("Train", "Leave the line"):
        expect(lab_button(page, gone)).to_have_count(0)
    running = plot.bounding_box()
    shoot(page, shots, "split_trap-running", 360)
    pause.click()
    see(page, "Paused at")
    # For a moment the old buttons stand beside the new ones.
    wait(lambda: plot.bounding_box() == running, "the chart stands where it stood")
    run_of(page, site.runs).stop()


def test_a_killed_worker_is_told_and_resumed_by_the_button(
    visit: Visit, site: Site, shots: Path
) -> None:
    page = visit(LONG)
    button(page, "No idea").wait_for()
    plant_and_train(page)
    run = run_of(page, site.runs)
    wait(lambda: run.has_checkpoint and run.worker, "there is a checkpoint")
    assert run.worker
    run.worker.send(signal.SIGKILL)
    see(page, "was killed")
    shoot(page, shots, "split_trap-failed")
    lab_button(page, "Resume from").click()
    wait(lambda: run.status is RunStatus.RUNNING, "the run goes on")
    steps = [step for step, _ in run.metric("row.train/loss")]
    assert steps == sorted(set(steps))
    run.stop()


def test_a_killed_server_comes_back_to_the_same_run(visit: Visit, site: Site, shots: Path) -> None:
    page = visit(LONG)
    button(page, "No idea").wait_for()
    plant_and_train(page)
    run = run_of(page, site.runs)
    wait(lambda: run.step > 10, "it trains")
    site.server.kill()
    step = run.step
    wait(lambda: run.step > step + 10, "the worker goes on without a server")
    with serving(site.runs, port=site.port):
        page.reload()
        lab_button(page, "Stop").click()
        see(page, "Resume from")
        assert run.status is RunStatus.KILLED
