"""Requests that do not wait for answers, on loopback, and what came back of each."""

import asyncio
import json
import time
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Self
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Heard:
    """One answer; `status` 0 is none at all."""

    sent: float
    heard: float
    status: int
    version: str | None


class OpenLoop:
    """Sends the same body at a fixed rate from a thread until it is left; at most `most`."""

    def __init__(self, address: str, body: Any, *, rate: float, most: int = 20_000) -> None:
        self._place, self._interval, self._most = urlsplit(address), 1 / rate, most
        content = json.dumps(body).encode()
        head = f"POST {self._place.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        self._request = f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content
        self._enough = Event()
        self.sent = 0
        self.heard: list[Heard] = []

    def __enter__(self) -> Self:
        self._thread = Thread(target=lambda: asyncio.run(self._send()))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        self._thread.join(60)

    async def _send(self) -> None:
        start, tasks = time.monotonic(), []
        while not self._enough.is_set() and self.sent < self._most:
            due = start + self.sent * self._interval
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            self.sent += 1
            tasks.append(asyncio.create_task(self._one()))
        await asyncio.gather(*tasks)

    async def _one(self) -> None:
        sent, status, version = time.monotonic(), 0, None
        try:
            async with asyncio.timeout(60):
                reader, writer = await asyncio.open_connection(
                    self._place.hostname, self._place.port
                )
                writer.write(self._request)
                answer = await reader.read()
                writer.close()
            status = int(answer.split(b" ", 2)[1])
            version = json.loads(answer.partition(b"\r\n\r\n")[2]).get("model_version")
        except (OSError, TimeoutError, ValueError, IndexError):
            pass
        self.heard.append(Heard(sent, time.monotonic(), status, version))


def went_back(heard: list[Heard]) -> list[tuple[Heard, Heard]]:
    """Pairs in which a request sent after an answer was answered by an earlier version."""
    newest: Heard | None = None
    answers = iter(sorted(heard, key=lambda one: one.heard))
    upcoming, pairs = next(answers, None), []
    for one in sorted(heard, key=lambda one: one.sent):
        while upcoming and upcoming.heard < one.sent:
            if newest is None or int(upcoming.version or 0) > int(newest.version or 0):
                newest = upcoming
            upcoming = next(answers, None)
        if newest and int(one.version or 0) < int(newest.version or 0):
            pairs.append((newest, one))
    return pairs
