"""A stand-in for the endpoint, in a thread: answers at once, or stalls when it is told to."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Desk:
    """What it was asked, and how it shall behave."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.stall_at = 0  # at this request the whole server stands still
        self.stall_s = 0.0
        self.shed_every = 0  # each such request is sent away
        self.port = 0
        self.is_silent = False
        self.loop: asyncio.AbstractEventLoop

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self.one(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    async def one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        self.bodies.append(await reader.readexactly(size))
        if self.is_silent:
            await asyncio.Event().wait()
        if len(self.bodies) == self.stall_at:
            time.sleep(self.stall_s)  # blocks the loop: the whole server stands still
        writer.write(self.answer())
        await writer.drain()

    def answer(self) -> bytes:
        is_shed = self.shed_every and len(self.bodies) % self.shed_every == 0
        measured = {"queue_us": 1500, "compute_us": 2500, "batch_rows": 1}
        told = {"model_version": "3", "parameters": measured, "outputs": []}
        body = json.dumps({"error": "full"} if is_shed else told).encode()
        status = b"503 Busy" if is_shed else b"200 OK"
        return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


@contextmanager
def opened() -> Iterator[Desk]:
    desk, ready, is_over = Desk(), threading.Event(), asyncio.Event()

    async def work() -> None:
        server = await asyncio.start_server(desk.serve, "127.0.0.1", 0)
        desk.port = server.sockets[0].getsockname()[1]
        desk.loop = asyncio.get_running_loop()
        ready.set()
        await is_over.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0.01)  # the closed connections are taken leave of

    thread = threading.Thread(target=lambda: asyncio.run(work()))
    thread.start()
    assert ready.wait(20)
    try:
        yield desk
    finally:
        desk.loop.call_soon_threadsafe(is_over.set)
        thread.join(20)
