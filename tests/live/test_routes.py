import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from tests.live.conftest import RUN
from tests.live.writer import Writer
from ui import live, viewers

HERE, ELSEWHERE = "127.0.0.1:8501", "evil.example"
Headers = dict[str, str]


class Tab:
    """A browser tab's side of the socket, without a network."""

    def __init__(self, app: Starlette, headers: Headers) -> None:
        self.inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.outbox.put_nowait({"type": "websocket.connect"})
        scope = {"type": "websocket", "path": "/api/live", "headers": raw(headers)}
        scope |= {"query_string": b"", "subprotocols": []}
        self.task = asyncio.create_task(app(scope, self.outbox.get, self.inbox.put))

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(20):
            return await self.inbox.get()

    def say(self, text: str) -> None:
        self.outbox.put_nowait({"type": "websocket.receive", "text": text})

    async def leave(self) -> None:
        self.outbox.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await self.task


def raw(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def get(app: Starlette, path: str, headers: Headers) -> tuple[int, Headers, bytes]:
    """One request; the answer's status, headers and body."""
    sent: list[dict[str, Any]] = []
    asked = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if asked.is_set():
            await asyncio.Event().wait()
        asked.set()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode()}
    scope |= {"headers": raw(headers), "query_string": b"", "root_path": ""}
    async with asyncio.timeout(20):
        await app(scope, receive, send)
    got = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], got, b"".join(message.get("body", b"") for message in sent[1:])


def served(runs: Path, story: Callable[[Starlette], Awaitable[None]]) -> None:
    """Runs a story with our routes alone."""

    async def whole() -> None:
        try:
            await story(Starlette(routes=live.routes(runs)))
        finally:
            await live.close()

    asyncio.run(whole())


@pytest.mark.parametrize(
    "headers",
    [
        {"host": HERE},
        {"host": HERE, "origin": f"http://{ELSEWHERE}"},
        {"host": HERE, "origin": "null"},
        {"host": HERE, "origin": "http://127.0.0.1:9999"},
        {"host": ELSEWHERE, "origin": f"http://{ELSEWHERE}"},
        {"host": f"{ELSEWHERE}:8501", "origin": f"http://{ELSEWHERE}:8501"},
        {"origin": f"http://{HERE}"},
    ],
)
def test_a_socket_is_refused_to_any_page_but_our_own(runs: Path, headers: Headers) -> None:
    async def story(app: Starlette) -> None:
        tab = Tab(app, headers)
        # A close before the accept is what servers answer with 403.
        assert (await tab.next())["type"] == "websocket.close"

    served(runs, story)


@pytest.mark.parametrize("host", [HERE, "localhost:8501", "[::1]:8501", "localhost"])
def test_our_own_page_gets_a_socket(runs: Path, host: str) -> None:
    async def story(app: Starlette) -> None:
        tab = Tab(app, {"host": host, "origin": f"http://{host}"})
        assert (await tab.next())["type"] == "websocket.accept"
        await tab.leave()

    served(runs, story)


def test_another_name_is_let_in_when_the_environment_names_it(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAGECOACH_HOSTS", "class.example, other.example")

    async def story(app: Starlette) -> None:
        tab = Tab(app, {"host": "class.example", "origin": "https://class.example"})
        assert (await tab.next())["type"] == "websocket.accept"
        await tab.leave()

    served(runs, story)


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        '{"watch": []}',
        json.dumps({"watch": {"../../etc": 0}}),
        json.dumps({"watch": {f"{RUN}/../{RUN}": 0}}),
        json.dumps({"watch": {RUN: "x"}}),
        json.dumps({"watch": {f"20261130-101512-many-{i:04x}": 0 for i in range(17)}}),
        json.dumps({"watch": {}, "padding": "x" * 20_000}),
    ],
)
def test_a_tab_that_asks_for_what_it_may_not_is_let_go(runs: Path, text: str) -> None:
    async def story(app: Starlette) -> None:
        tab = Tab(app, {"host": HERE, "origin": f"http://{HERE}"})
        await tab.next()
        tab.say(text)
        assert await tab.next() == {"type": "websocket.close", "code": 1003, "reason": ""}

    served(runs, story)


def test_an_unknown_run_is_said_to_be_gone_and_others_go_on(runs: Path, writer: Writer) -> None:
    writer.start(10)
    writer.train(1, 3)

    async def story(app: Starlette) -> None:
        tab = Tab(app, {"host": HERE, "origin": f"http://{HERE}"})
        await tab.next()
        tab.say(json.dumps({"watch": {"20261130-101512-nothing-0000": 0, RUN: 0}}))
        words: dict[str, str] = {}
        while len(words) < 2:
            message = json.loads((await tab.next())["text"])
            if "status" in message:
                words[message["run"]] = message["status"]["word"]
        assert words == {"20261130-101512-nothing-0000": "gone", RUN: "running"}
        await tab.leave()

    served(runs, story)


def test_tabs_have_a_limit_and_leave_room_when_they_go(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewers, "_MAX_TABS", 2)

    async def story(app: Starlette) -> None:
        ours = {"host": HERE, "origin": f"http://{HERE}"}
        tabs = [Tab(app, ours) for _ in range(3)]
        answers = [(await tab.next())["type"] for tab in tabs]
        assert answers == ["websocket.accept", "websocket.accept", "websocket.close"]
        await tabs[0].leave()
        again = Tab(app, ours)
        assert (await again.next())["type"] == "websocket.accept"
        await again.leave()
        await tabs[1].leave()

    served(runs, story)


def test_the_text_stream_ends_with_the_run_and_goes_on_after_the_last_id(
    runs: Path, writer: Writer
) -> None:
    writer.start(10)
    writer.train(1, 10)
    writer.end("FINISHED", 10)
    path = f"/api/runs/{RUN}/events"

    async def story(app: Starlette) -> None:
        status, headers, body = await get(app, path, {"host": HERE})
        assert status == 200
        assert headers["content-type"].startswith("text/event-stream")
        parts = [part.partition(b"\ndata: ") for part in body.strip().split(b"\n\n")]
        messages = [json.loads(data) for _, _, data in parts]
        assert messages[0]["reset"]
        assert len(messages[0]["series"]["train/loss"]) == 10
        assert messages[-1]["status"]["word"] == "finished"
        last = parts[-1][0].removeprefix(b"id: ").decode()
        _, _, rest = await get(app, path, {"host": HERE, "last-event-id": last})
        assert json.loads(rest.partition(b"data: ")[2])["series"] == {}

    served(runs, story)


@pytest.mark.parametrize(
    ("run_id", "headers", "expected"),
    [
        ("..", {}, 400),
        ("../../etc/passwd", {}, 400),
        ("%2e%2e", {}, 400),
        ("20261130-101512-nothing-0000", {}, 404),
        (RUN, {"origin": f"http://{ELSEWHERE}"}, 403),
        (RUN, {"host": ELSEWHERE}, 403),
    ],
)
def test_the_text_stream_refuses_what_it_must(
    runs: Path, run_id: str, headers: Headers, expected: int
) -> None:
    async def story(app: Starlette) -> None:
        answer = await get(app, f"/api/runs/{run_id}/events", {"host": HERE, **headers})
        assert answer[0] == expected
        assert b"Traceback" not in answer[2]

    served(runs, story)


def test_scripts_are_kept_for_ever_under_an_address_that_changes_with_them(runs: Path) -> None:
    async def story(app: Starlette) -> None:
        for name in ("curve.js", "uplot/uPlot.iife.min.js"):
            status, headers, body = await get(app, live.asset(name), {"host": HERE})
            assert status == 200
            assert headers["cache-control"] == "public, max-age=31536000, immutable"
            assert body
        missing = await get(app, live.asset("../live.py"), {"host": HERE})
        assert missing[0] == 404
        assert "immutable" not in missing[1].get("cache-control", "")

    served(runs, story)
