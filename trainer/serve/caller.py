"""Asks an endpoint over HTTP/1.1 connections that are kept: thin, so that it measures the server.

Standard library and orjson only. Nothing here waits for anything but its own answer.
"""

import asyncio
from collections import deque
from typing import Any
from urllib.parse import urlsplit

import orjson

CONNECTIONS = 256
_END = b"\r\n\r\n"
NO_ANSWER = 0


def request(url: str, asked: dict[str, Any]) -> bytes:
    """One inference request, head and body, ready to be sent."""
    where, body = urlsplit(url), orjson.dumps(asked)
    head = (
        f"POST {where.path} HTTP/1.1\r\nHost: {where.netloc}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Callers:
    """Connections to one address; a free one is used again, at most `CONNECTIONS` exist."""

    def __init__(self, url: str) -> None:
        """Nothing is opened before the first question."""
        where = urlsplit(url)
        assert where.hostname
        assert where.port
        self._host, self._port = where.hostname, where.port
        self._free: deque[_Connection] = deque()
        self._room = asyncio.Semaphore(CONNECTIONS)

    async def ask(self, asked: bytes, timeout_s: float) -> tuple[int, dict[str, Any]]:
        """Send one request; return status and answer, or `NO_ANSWER` where none came in time."""
        line: _Connection | None = None
        try:
            async with asyncio.timeout(timeout_s), self._room:
                line = self._free.pop() if self._free else await self._open()
                status, body = await line.ask(asked)
            if line.is_open:
                self._free.append(line)
            told = orjson.loads(body)
        except (OSError, TimeoutError, ValueError):
            if line:
                line.close()
            return NO_ANSWER, {}
        return status, told if isinstance(told, dict) else {}

    def close(self) -> None:
        """Close every free connection."""
        while self._free:
            self._free.pop().close()

    async def _open(self) -> "_Connection":
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(_Connection, self._host, self._port)
        return line


class _Connection(asyncio.Protocol):
    """One connection with one question at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._heard = b""
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def ask(self, asked: bytes) -> asyncio.Future[tuple[int, bytes]]:
        self._answer = asyncio.get_running_loop().create_future()
        if self._transport is None or self._transport.is_closing():
            self._answer.set_exception(ConnectionResetError())
        else:
            self._transport.write(asked)
        return self._answer

    def close(self) -> None:
        if self._transport:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, _error: Exception | None) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_exception(ConnectionResetError())

    def data_received(self, data: bytes) -> None:
        self._heard += data
        end = self._heard.find(_END)
        if end < 0:
            return
        head = self._heard[:end].lower()
        whole = end + len(_END) + _length(head)
        if len(self._heard) < whole:
            return
        body, self._heard = self._heard[end + len(_END) : whole], b""
        if b"connection: close" in head:
            self.close()
        if self._answer and not self._answer.done():
            self._answer.set_result((int(head.split(b" ", 2)[1]), body))


def _length(head: bytes) -> int:
    _, _, after = head.partition(b"content-length:")
    return int(after.split(b"\r\n", 1)[0] or 0)
