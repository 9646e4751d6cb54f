"""The server's own routes: live events for pages and tools, and the scripts of our components."""

import hashlib
from pathlib import Path

import streamlit as st
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from ui.viewers import Desk

_HERE = Path(__file__).parent
_SCRIPTS, _UPLOT = _HERE / "assets", _HERE / "static" / "uplot"
_FOREVER = "public, max-age=31536000, immutable"
_open: list[Desk] = []


def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted([*_SCRIPTS.iterdir(), *_UPLOT.iterdir()]):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]


_VERSION = _digest()  # of the scripts that this server started with


def routes(runs: Path) -> list[BaseRoute]:
    """Return what the server adds to Streamlit's own routes."""
    desk = Desk(runs)
    _open.append(desk)
    return [
        WebSocketRoute("/api/live", desk.socket),
        Route("/api/runs/{run_id:path}/events", desk.text),
        Mount(f"/assets/{_VERSION}/uplot", _Immutable(directory=_UPLOT)),
        Mount(f"/assets/{_VERSION}", _Immutable(directory=_SCRIPTS)),
    ]


async def close() -> None:
    """Stop following runs; for the end of the server."""
    while _open:
        await _open.pop().hub.close()


def base() -> str:
    """Return the path under which a proxy shows the app, without a slash at its end."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def asset(name: str) -> str:
    """Return the address of a script, with the version in its path."""
    return f"{base()}/assets/{_VERSION}/{name}"


class _Immutable(StaticFiles):
    """Files whose address changes with their content, so a browser asks for each once."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if response.status_code == 200:
            response.headers["Cache-Control"] = _FOREVER
        return response
