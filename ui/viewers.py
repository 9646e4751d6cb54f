"""The browser tabs and tools that follow runs: what they may ask, and what each is sent."""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator
from pathlib import Path

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from trainer.runs import RUN_ID
from trainer.stream import Hub

_MAX_TABS, _MAX_RUNS, _MAX_MESSAGE = 300, 16, 16_384
_OUR_NAMES = {"localhost", "127.0.0.1", "[::1]"}


def is_ours(request: HTTPConnection, *, needs_origin: bool) -> bool:
    """Return whether our own page asks: not another site's, and not under a foreign name.

    Streamlit guards only its own routes. `STAGECOACH_HOSTS` adds names, with commas between them.
    """
    host = request.headers.get("host", "")
    name, _, port = host.rpartition(":")
    allowed = _OUR_NAMES | set(os.environ.get("STAGECOACH_HOSTS", "").replace(" ", "").split(","))
    if (name if port.isdigit() else host) not in allowed - {""}:
        return False
    origin = request.headers.get("origin")
    if origin is None:
        return not needs_origin
    return origin.partition("://")[2] == host


class Desk:
    """Answers the viewers of one runs folder; only reads."""

    def __init__(self, runs: Path) -> None:
        """Serve nobody yet."""
        self.hub = Hub(runs)
        self.tabs = 0

    async def socket(self, socket: WebSocket) -> None:
        """One socket a tab: `{"watch": {run id: offset}, "machine": bool}` in, messages out."""
        if not is_ours(socket, needs_origin=True) or self.tabs >= _MAX_TABS:
            await socket.close(1008)
            return
        await socket.accept()
        self.tabs += 1
        tab = _Tab(socket, self.hub)
        try:
            while True:
                tab.follow(await socket.receive_text())
        except WebSocketDisconnect:
            pass
        except (ValueError, TypeError, AttributeError, KeyError):
            await socket.close(1003)  # not our protocol
        finally:
            self.tabs -= 1
            tab.leave()

    async def text(self, request: Request) -> Response:
        """The same messages for curl and the like, on from `Last-Event-ID`; ends with the run."""
        run_id = request.path_params["run_id"]
        if not is_ours(request, needs_origin=False):
            return PlainTextResponse("This address answers its own pages only.", 403)
        if not RUN_ID.fullmatch(run_id):
            return PlainTextResponse("That is no run id.", 400)
        if not self.hub.has(run_id):
            return PlainTextResponse("There is no such run here.", 404)
        if self.tabs >= _MAX_TABS:
            return PlainTextResponse("Too many are watching. Close a tab and try again.", 503)
        last = request.headers.get("last-event-id", "")
        stream = self._events(run_id, int(last) if last.isdecimal() else 0)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    async def _events(self, run_id: str, offset: int) -> AsyncGenerator[bytes, None]:
        self.tabs += 1
        try:
            updates = self.hub.updates(run_id, offset, is_ending=True)
            async with contextlib.aclosing(updates):
                async for message in updates:
                    yield b"id: %d\ndata: %b\n\n" % (json.loads(message)["at"], message)
        finally:
            self.tabs -= 1


class _Tab:
    """What one browser tab follows, each thing by a task that waits for its own sends."""

    def __init__(self, socket: WebSocket, hub: Hub) -> None:
        self._socket, self._hub = socket, hub
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def follow(self, text: str) -> None:
        """Start and end followers as the tab asks; a wrong question raises ValueError."""
        if len(text) > _MAX_MESSAGE:
            raise ValueError("This message is too long.")
        asked = json.loads(text)
        watch = {str(run_id): int(offset) for run_id, offset in asked["watch"].items()}
        if len(watch) > _MAX_RUNS or not all(map(RUN_ID.fullmatch, watch)):
            raise ValueError("Too many runs, or something that is no run id.")
        wanted = {*watch, *(["machine"] if asked.get("machine") else [])}
        for name in self._tasks.keys() - wanted:
            self._tasks.pop(name).cancel()
        for name in wanted - self._tasks.keys():
            self._tasks[name] = asyncio.create_task(self._send(name, watch.get(name, 0)))

    def leave(self) -> None:
        """End all followers."""
        for task in self._tasks.values():
            task.cancel()

    async def _send(self, name: str, offset: int) -> None:
        updates = self._hub.machine() if name == "machine" else self._hub.updates(name, offset)
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the tab has gone
            async with contextlib.aclosing(updates):
                async for message in updates:
                    await self._socket.send_text(message.decode())
