import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from tests.live.conftest import RUN
from tests.live.writer import Writer
from tests.serving import Server, wait_until

Worker = Callable[..., subprocess.Popen[bytes]]
Scheme = Literal["light", "dark"]


class Tabs:
    """Opens the one-chart page: `tabs("run=...")`; a script's fault or a foreign host is noted."""

    def __init__(self, browser: Browser, server: Server) -> None:
        self.browser, self.server = browser, server
        self.faults: list[str] = []
        self.contexts: list[BrowserContext] = []

    def __call__(self, query: str = "", width: int = 1280, scheme: Scheme = "light") -> Page:
        size: ViewportSize = {"width": width, "height": 900}
        context = self.browser.new_context(viewport=size, color_scheme=scheme)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda asked: self.check(asked.url))
        page.goto(f"{self.server.address}/?{query}")
        expect(figure(page)).to_have_attribute("data-points", re.compile(r"\d"), timeout=30_000)
        return page

    def check(self, url: str) -> None:
        if urlsplit(url).hostname not in ("127.0.0.1", None):
            self.faults.append(url)


@pytest.fixture
def tabs(chromium: Browser, live_server: Callable[..., Server]) -> Iterator[Tabs]:
    opened = Tabs(chromium, live_server())
    yield opened
    for context in opened.contexts:
        context.close()
    assert opened.faults == []


def figure(page: Page) -> Locator:
    return page.locator("figure")


def drawn(page: Page, name: str) -> str:
    return figure(page).get_attribute(f"data-{name}") or ""


def wait_step(page: Page, step: int, deadline_s: float = 20) -> None:
    wait_until(lambda: int(drawn(page, "step") or 0) >= step, f"step {step} drawn", deadline_s)


def reruns(page: Page) -> str:
    return page.get_by_text("Reruns: ").inner_text()


def assert_each_step_once(page: Page, steps: int) -> None:
    """A busy tick thins what it sends, so the live picture may have fewer points, never more."""
    assert 0.5 * steps < int(drawn(page, "points")) <= steps
    page.reload()
    wait_step(page, steps)
    assert drawn(page, "points") == str(steps)


def brand(page: Page) -> None:
    """Marks the canvas, so that a chart that was built anew is noticed."""
    page.locator(".plot canvas").evaluate("canvas => { canvas.dataset.brand = 'mine'; }")


def is_branded(page: Page) -> bool:
    return page.locator(".plot canvas[data-brand=mine]").count() == 1


def drag(page: Page) -> None:
    box = page.locator(".u-over").bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.2 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 0.8 * box["height"], steps=4)
    page.mouse.up()
    expect(page.get_by_role("button", name="Whole picture")).to_be_visible()
    wait_until(lambda: drawn(page, "view") != "null", "the zoom is drawn")


def test_one_element_from_the_empty_chart_to_the_finished_picture(
    tabs: Tabs, writer: Writer, worker: Worker
) -> None:
    page = tabs("set=1")
    assert drawn(page, "points") == "0"
    expect(page.locator(".reading")).to_have_text(re.compile("Your flag stands at epoch 40"))
    brand(page)
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".progress")).to_have_text(re.compile("Starting"))
    asked = time.time()
    process = worker("--rate", "400")
    wait_step(page, 1)
    print(f"first point drawn {time.time() - asked:.2f} s after the worker's process was asked for")
    expect(
        page.get_by_text("Changes: starting running", exact=False).or_(
            page.get_by_text("Changes: running", exact=False)
        )
    ).to_be_visible()
    before = reruns(page)
    wait_step(page, 600)
    assert reruns(page) == before, "data alone must not rerun the page"
    process.wait(20)
    expect(page.locator(".progress")).to_have_text("Finished, 80 epochs in 24 s.")
    expect(page.locator(".reading")).to_have_text(
        re.compile(
            r"Validation has risen since epoch \d+: the model overfits\. You were \d+ epochs"
        )
    )
    expect(page.locator(".ended")).to_have_text(re.compile("Finished, 80 epochs"))
    expect(page.get_by_text(re.compile("Changes: .*finished"))).to_be_visible()
    assert page.get_by_text("Changes: ").inner_text().count("finished") == 1
    assert is_branded(page)


def test_zoom_stays_while_data_arrive_and_the_page_reruns(
    tabs: Tabs, writer: Writer, worker: Worker
) -> None:
    page = tabs(f"run={RUN}")
    worker("--rate", "100", "--upto", "700", "--end", "")
    wait_step(page, 150)
    drag(page)
    view = drawn(page, "view")
    step = int(drawn(page, "step"))
    slider = page.locator("[data-testid=stSlider] input").first
    slider.focus()
    slider.press("ArrowRight")
    before = reruns(page)
    wait_until(
        lambda: reruns(page) != before or "41" in page.content(), "the slider reran the page"
    )
    wait_step(page, step + 100)
    assert drawn(page, "view") == view
    assert json.loads(view)["x"][0] > 1
    page.locator(".plot").focus()
    page.keyboard.press("Escape")
    wait_until(lambda: drawn(page, "view") == "null", "Escape shows the whole picture")
    expect(page.get_by_role("button", name="Whole picture")).to_be_hidden()


def test_a_killed_server_that_comes_back_shows_each_step_once(
    tabs: Tabs, writer: Writer, worker: Worker, live_server: Callable[..., Server]
) -> None:
    page = tabs(f"run={RUN}")
    process = worker("--rate", "20", "--upto", "200")
    wait_step(page, 20)
    server = tabs.server
    server.kill()
    expect(page.locator(".progress")).to_have_text(re.compile("Connection lost"))
    live_server(server.port)
    process.wait(30)
    wait_until(lambda: drawn(page, "word") == "finished", "the end is shown", 30)
    assert drawn(page, "step") == "200"
    assert_each_step_once(page, 200)


def test_a_worker_killed_with_signal_9_shows_failed_and_a_resume_goes_on(
    tabs: Tabs, writer: Writer, worker: Worker
) -> None:
    page = tabs(f"run={RUN}")
    process = worker("--rate", "20", "--upto", "50", "--end", "")
    wait_step(page, 50)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    killed = time.time()
    expect(page.locator(".progress")).to_have_text("Failed at epoch 5.", timeout=10_000)
    expect(page.locator(".ended")).to_have_text(re.compile("The worker was killed at step 50"))
    print(f"the death was shown {time.time() - killed:.1f} s later")
    writer.append(writer.event("queued", 50, reason="resumed"))
    expect(page.locator(".progress")).to_have_text(re.compile("Starting"))
    worker("--rate", "20", "--resume", "40", "--upto", "80")
    wait_until(lambda: drawn(page, "word") == "finished", "the resumed run ends")
    expect(page.get_by_text(re.compile("Changes: .*finished"))).to_be_visible()
    said = page.get_by_text("Changes: ").inner_text()
    assert said.count("failed") == said.count("finished") == 1
    assert_each_step_once(page, 80)


def test_a_second_tab_and_a_reload_show_the_same_run(tabs: Tabs, writer: Writer) -> None:
    writer.start(800)
    writer.train(1, 300)
    first, second = tabs(f"run={RUN}"), tabs(f"run={RUN}", width=360, scheme="dark")
    for page in (first, second):
        wait_step(page, 300)
        expect(page.locator(".progress")).to_have_text(re.compile(r"^Epoch\s30 of 80, 9\ss gone"))
    first.reload()
    wait_step(first, 300)
    assert drawn(first, "points") == "300"
    width = second.evaluate("document.documentElement.scrollWidth")
    assert width <= 360, "no sideways scroll on a phone"


def test_one_socket_serves_chart_and_gauges(tabs: Tabs, writer: Writer) -> None:
    writer.start(800)
    writer.train(1, 10)
    page = tabs("")
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto(f"{tabs.server.address}/?run={RUN}&gauges=1")
    wait_step(page, 10)
    machine = page.get_by_label("This machine now")
    expect(machine).to_contain_text(re.compile(r"Processor\s*M\s*\d+ % of \d+ core"))
    expect(machine).to_contain_text(re.compile(r"Memory\s*M\s*[\d.]+ of [\d.]+ GiB"))
    assert len([url for url in sockets if url.endswith("/api/live")]) == 1


def test_the_keyboard_reads_the_values_and_only_then_is_something_said(
    tabs: Tabs, writer: Writer
) -> None:
    writer.start(100)
    writer.train(1, 98)
    writer.append(writer.event("metrics", 99, **{"train/loss": 0.123456789}))
    last = {"train/loss": 0.111111, "val/loss": 0.654321}
    writer.append(writer.event("metrics", 100, **last))
    writer.end("FINISHED", 100)
    page = tabs(f"run={RUN}")
    wait_step(page, 100)
    said, plot = page.locator(".said"), page.locator(".plot")
    expect(said).to_be_empty()
    expect(page.locator(".ended")).to_be_empty()  # it had ended before: nothing to announce
    plot.focus()
    plot.press("End")
    expect(said).to_have_text("Epoch 10: training 0.111111, validation 0.654321.")
    plot.press("ArrowLeft")
    expect(said).to_have_text("Epoch 9.9: training 0.123457, validation 0.654321 at epoch 10.")
    expect(page.locator(".tip")).to_contain_text("0.123457")
    plot.press("Home")
    expect(said).to_have_text(re.compile("^Epoch 0.1: training"))
    page.locator(".values summary").click()
    expect(page.locator(".table")).to_contain_text("0.111111 at epoch 10")


@pytest.mark.parametrize("axis", ["epoch", "step"])
def test_a_click_or_enter_chooses_a_step_and_a_drag_does_not(
    tabs: Tabs, writer: Writer, axis: str
) -> None:
    plan = {"steps": 200, "steps_per_epoch": 10, "examples_per_step": 32}
    arms = {"arms": {"bare": 0, "traced": 100}}
    writer.append(writer.event("started", device="cpu"))
    writer.append(writer.event("sample", name="plan", value=plan | arms))
    writer.append(*(writer.event("metrics", k, **{"train/loss": 1 / k}) for k in range(1, 101)))
    again = [
        writer.event("metrics", 100 + k, **{"traced.train/loss": 1 / k}) for k in range(1, 101)
    ]
    writer.append(*again)
    writer.end("FINISHED", 200)
    page = tabs(f"run={RUN}&pick=1")
    wait_step(page, 200)
    page.get_by_text("Axes and smoothing").click()
    page.get_by_label("Along the bottom").select_option(axis)
    plot = page.locator(".plot")
    plot.press("Home")
    plot.press("ArrowRight")
    plot.press("Enter")
    expect(page.get_by_text("Picked: [2].")).to_be_visible()
    expect(plot).to_have_attribute("aria-label", re.compile("Enter follows that step"))
    if axis == "step":  # the axis ends at step 100
        box = page.locator(".u-over").bounding_box()
        assert box
        page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"])
        expect(page.get_by_text("Picked: [2, 25].")).to_be_visible()
        drag(page)
        expect(page.get_by_text("Picked: [2, 25].")).to_be_visible()


def test_a_chart_without_picks_hears_no_click(tabs: Tabs, writer: Writer) -> None:
    writer.start(800)
    writer.train(1, 300)
    page = tabs(f"run={RUN}")
    wait_step(page, 300)
    before = reruns(page)
    page.locator(".u-over").click()
    page.locator(".plot").press("Enter")
    expect(page.locator(".tip")).to_be_visible()
    expect(page.locator(".tip")).not_to_contain_text("Click")
    assert reruns(page) == before


def test_the_expected_band_can_be_put_away_and_is_said_in_words(tabs: Tabs, writer: Writer) -> None:
    writer.start(800)
    writer.train(1, 800)
    writer.end("FINISHED", 800)
    page = tabs("band=1")
    expect(page.locator(".band-words")).to_have_text("Expected: recorded.")
    empty = middle(page)
    page.get_by_role("button", name="Start").click()
    wait_step(page, 800)
    words = page.locator(".band-words")
    expect(words).to_have_text("Expected: recorded. Points within it: validation 80 of 80.")
    expect(page.locator(".plot")).to_have_attribute("aria-label", re.compile("Grey band: Expected"))
    assert middle(page) == empty, "the band is drawn from the empty chart on"
    switch = page.locator(".band")
    switch.focus()
    switch.press("Space")
    wait_until(lambda: middle(page) != empty, "the band is gone")
    expect(words).to_have_text("Expected: recorded.")
    switch.press("Space")
    wait_until(lambda: middle(page) == empty, "the band is back")
    page.get_by_text("Axes and smoothing").click()
    page.get_by_label("Along the bottom").select_option("seconds")
    expect(page.locator(".band-row")).to_be_hidden()
    assert tabs("").locator(".band-row").is_hidden()


def middle(page: Page) -> list[int]:
    """The colour of the canvas where only the band can be: high above all lines, in the middle."""
    colour: list[int] = page.locator(".plot canvas").evaluate(
        """canvas => {
          const over = canvas.parentElement.querySelector('.u-over'), ratio = devicePixelRatio;
          const x = (over.offsetLeft + over.clientWidth * 0.55) * ratio;
          const y = (over.offsetTop + over.clientHeight * 0.15) * ratio;
          return [...canvas.getContext('2d').getImageData(x, y, 1, 1).data];
        }"""
    )
    return colour


def test_a_change_of_theme_redraws_without_a_rerun(tabs: Tabs, writer: Writer) -> None:
    writer.start(800)
    writer.train(1, 300)
    page = tabs(f"run={RUN}&set=1")
    wait_step(page, 300)
    before, light = reruns(page), ink(page)
    brand(page)
    page.emulate_media(color_scheme="dark")
    wait_until(lambda: sum(ink(page)) > 3 * 200, "the flag is drawn in the dark theme's ink")
    assert sum(light) < 3 * 60
    assert reruns(page) == before
    assert is_branded(page)


def ink(page: Page) -> list[int]:
    """The colour of the flag's pole, read from the canvas in the middle of its height."""
    colour: list[int] = page.locator(".plot canvas").evaluate(
        """canvas => {
          const over = canvas.parentElement.querySelector('.u-over'), ratio = devicePixelRatio;
          const x = (over.offsetLeft + over.clientWidth / 2) * ratio;
          const y = (over.offsetTop + over.clientHeight * 0.6) * ratio;
          return [...canvas.getContext('2d').getImageData(x, y, 1, 1).data.slice(0, 3)];
        }"""
    )
    return colour


def test_axis_log_and_smoothing_change_the_picture_in_place(tabs: Tabs, writer: Writer) -> None:
    writer.start(800)
    writer.train(1, 450)
    # uPlot's own search for the marks of a logarithmic axis never ends from such a lowest value.
    writer.append(writer.event("metrics", 451, **{"train/loss": 0.12}))
    writer.end("FINISHED", 451)
    page = tabs(f"run={RUN}&set=1")
    wait_step(page, 451)
    before = reruns(page)
    page.get_by_text("Axes and smoothing").click()
    pictures = [page.locator(".plot").screenshot()]

    def is_new() -> bool:
        return page.locator(".plot").screenshot() not in pictures

    for change in (
        lambda: page.get_by_label("Smoothing").fill("0.8"),
        lambda: page.get_by_label("Logarithmic height").check(),
        lambda: page.get_by_label("Along the bottom").select_option("seconds"),
    ):
        change()
        wait_until(is_new, "another picture")
        pictures.append(page.locator(".plot").screenshot())
    expect(page.locator(".reading")).to_have_text(re.compile(r"You were \d+(\.\d)? s too late"))
    assert reruns(page) == before


def test_a_broken_run_is_named_in_words(tabs: Tabs, writer: Writer) -> None:
    writer.start(800)
    writer.train(1, 200)
    for step in range(201, 220):
        writer.append(writer.event("metrics", step, **{"train/loss": float("nan")}))
    page = tabs(f"run={RUN}")
    wait_step(page, 219)
    expect(page.locator(".reading")).to_have_text(
        "Training is not a number (NaN) since epoch 20.1: training has diverged."
    )


def test_a_finished_run_counts_only_what_was_trained(tabs: Tabs, writer: Writer) -> None:
    arms = {"none": 0, "early_stopping": 400, "dropout": 800}
    plan = {"steps": 1200, "steps_per_epoch": 10, "examples_per_step": 32, "arms": arms}
    writer.append(writer.event("started", device="cpu"))
    writer.append(writer.event("sample", name="plan", value=plan))
    writer.append(*(writer.event("metrics", step, **{"train/loss": 0.5}) for step in (10, 400)))
    for step, arm in ((410, "early_stopping"), (650, "early_stopping"), (1200, "dropout")):
        writer.append(writer.event("metrics", step, **{f"{arm}.train/loss": 0.4}))
    writer.end("FINISHED", 1200)
    page = tabs(f"run={RUN}")
    expect(page.locator(".progress")).to_have_text("Finished, 1,050 steps in 36 s.")
    expect(page.locator(".progress + .chip")).to_be_visible()


def test_a_run_that_nobody_has_put_in_line_is_starting(tabs: Tabs, writer: Writer) -> None:
    page = tabs(f"run={RUN}")
    expect(page.locator(".progress")).to_have_text("Starting.")
    queue = writer.folder.parent / ".dispatcher" / "queue.json"
    queue.parent.mkdir(exist_ok=True)
    queue.write_text(json.dumps([{"id": RUN, "place": 1, "wait_s": None}]))
    expect(page.locator(".progress")).to_have_text(re.compile(r"Waiting, place\s1 of 1"))


def test_a_run_that_is_not_there_is_said_so(tabs: Tabs, runs: Path) -> None:
    page = tabs("run=20261130-101512-nothing-0000")
    expect(page.locator(".progress")).to_have_text(re.compile("^This run is not here"))
