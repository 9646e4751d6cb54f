"""The server's own routes: live events by WebSocket (pages) and as a text stream (tools), and the browser's scripts.

Streamlit guards only its own routes, so Origin, Host, run id and sizes are checked here. The routes only read.
"""

import asyncio
import contextlib
import hashlib
import json
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import streamlit as st
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket, WebSocketDisconnect

from trainer.runs import RUN_ID
from trainer.stream import Hub

_HERE = Path(__file__).parent
_FOLDERS = {"uplot": _HERE / "static" / "uplot", "": _HERE / "assets"}
_MAX_TABS, _MAX_RUNS, _MAX_MESSAGE = 300, 16, 16_384
_FOREVER = "public, max-age=31536000, immutable"
_OPEN: list["_Desk"] = []


def routes(runs: Path) -> list[BaseRoute]:
    """Return what the server adds to Streamlit's own routes."""
    desk = _Desk(runs)
    _OPEN.append(desk)
    at = f"/assets/{_version()}"
    return [
        WebSocketRoute("/api/live", desk.socket),
        Route("/api/runs/{run_id:path}/events", desk.text),
        *[
            Mount(f"{at}/{name}".rstrip("/"), _Immutable(directory=_FOLDERS[name]))
            for name in _FOLDERS
        ],
    ]


async def close() -> None:
    """Stop following runs; for the end of the server."""
    while _OPEN:
        await _OPEN.pop().hub.close()


def base() -> str:
    """Return the path under which a proxy shows the app, without a slash at its end."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def asset(name: str) -> str:
    """Return the address of a script, with the version in its path."""
    return f"{base()}/assets/{_version()}/{name}"


def _version() -> str:
    digest = hashlib.sha256()
    for folder in _FOLDERS.values():
        for file in sorted(folder.iterdir()):
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]


class _Immutable(StaticFiles):
    """Files whose address changes with their content, so a browser asks for each once."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if response.status_code == 200:
            response.headers["Cache-Control"] = _FOREVER
        return response


def _is_ours(request: HTTPConnection, *, needs_origin: bool) -> bool:
    """Whether the request comes from our own page: another site's page, or another name for this machine, does not."""
    host = request.headers.get("host", "")
    named = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    allowed = {"localhost", "127.0.0.1", "[::1]"}
    allowed |= {name.strip() for name in os.environ.get("STAGECOACH_HOSTS", "").split(",")} - {""}
    origin = request.headers.get("origin")
    if named not in allowed or (needs_origin and origin is None):
        return False
    return origin is None or origin.partition("://")[2] == host


class _Desk:
    """Answers the viewers of one runs folder."""

    def __init__(self, runs: Path) -> None:
        self.hub = Hub(runs)
        self.tabs = 0

    async def socket(self, socket: WebSocket) -> None:
        """One socket a tab: `{"watch": {run id: offset}, "machine": bool}` in, messages out."""
        if not _is_ours(socket, needs_origin=True) or self.tabs >= _MAX_TABS:
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
        """The same messages for curl and other tools; goes on after `Last-Event-ID`, ends with the run."""
        run_id = request.path_params["run_id"]
        if not _is_ours(request, needs_origin=False):
            return PlainTextResponse("This address serves its own pages only.", 403)
        if not RUN_ID.fullmatch(run_id):
            return PlainTextResponse("That is no run id.", 400)
        if not self.hub.has(run_id) or self.tabs >= _MAX_TABS:
            return PlainTextResponse("There is no such run here.", 404)
        last = request.headers.get("last-event-id", "0")
        offset = int(last) if last.isdigit() else 0
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        stream = self._events(run_id, offset)
        return StreamingResponse(stream, media_type="text/event-stream", headers=headers)

    async def _events(self, run_id: str, offset: int) -> AsyncGenerator[bytes, None]:
        self.tabs += 1
        try:
            async with contextlib.aclosing(
                self.hub.updates(run_id, offset, is_ending=True)
            ) as updates:
                async for message in updates:
                    yield b"id: %d\ndata: %b\n\n" % (json.loads(message)["at"], message)
        finally:
            self.tabs -= 1


class _Tab:
    """What one browser tab follows, each thing by a task of its own that waits for its own sends."""

    def __init__(self, socket: WebSocket, hub: Hub) -> None:
        self._socket, self._hub = socket, hub
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def follow(self, text: str) -> None:
        """Start and end followers as the tab asks; a wrong question raises ValueError."""
        if len(text) > _MAX_MESSAGE:
            raise ValueError("too long")
        asked = json.loads(text)
        watch = {str(run_id): int(offset) for run_id, offset in asked["watch"].items()}
        if len(watch) > _MAX_RUNS or not all(map(RUN_ID.fullmatch, watch)):
            raise ValueError("too many runs, or no run id")
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
