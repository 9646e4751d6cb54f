"""The load generator, a process of its own: sends to an endpoint on this machine, writes answers.

Open loop: the times are drawn beforehand and do not wait for answers; a request's latency counts
from the time it was meant to leave. Closed loop: each caller waits for its answer, so a slow server
slows its own test. It takes orders on stdin, one JSON line each, and leaves when that is closed.
"""

import asyncio
import gc
import json
import os
import selectors
import sys
from pathlib import Path
from time import perf_counter

import orjson

from trainer.serve.answers import Answer
from trainer.serve.caller import Callers, request
from trainer.serve.order import MOST_REQUESTS, Order

FLUSH_S = 0.04


class Load:
    """One order at work; `more` renews its lease, `end` ends the sending."""

    def __init__(self, order: Order, callers: Callers, asked: list[bytes]) -> None:
        """Nothing is sent before `run`."""
        self.order, self.callers, self.asked = order, callers, asked
        self.sent = self.inside = 0
        self.begun = perf_counter()
        self._renewed = self.begun
        self._is_over = False
        self._lines: list[bytes] = []
        self._out = os.open(order.out, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def more(self) -> None:
        """The one who ordered is still there."""
        self._renewed = perf_counter()

    def end(self) -> None:
        """Send nothing more; what is under way is still waited for."""
        self._is_over = True

    async def run(self) -> None:
        """Send, wait for every answer, and write them all, then one line that says how many."""
        writing = asyncio.create_task(self._write())
        try:
            await (self._closed() if self.order.callers else self._open())
        finally:
            writing.cancel()
            self.callers.close()
            done = {"done": True, "sent": self.sent, "seconds": perf_counter() - self.begun}
            self._lines.append(orjson.dumps(done) + b"\n")
            self._flush()
            os.close(self._out)

    @property
    def _goes_on(self) -> bool:
        lease = self.order.lease_s
        is_left = lease is not None and perf_counter() - self._renewed > lease
        return not self._is_over and not is_left and self.sent < MOST_REQUESTS

    async def _open(self) -> None:
        """Every request leaves at its drawn time, however many are still unanswered."""
        under_way: set[asyncio.Task[None]] = set()
        for at in self.order.times():
            due = self.begun + at
            await _until(due)
            if not self._goes_on:
                break
            task = asyncio.create_task(self._ask(due))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        while under_way:
            await asyncio.wait(set(under_way))

    async def _closed(self) -> None:
        """Each caller asks again once it was answered."""

        async def caller() -> None:
            while self._goes_on and perf_counter() - self.begun < self.order.seconds:
                await self._ask(perf_counter())

        await asyncio.gather(*(caller() for _ in range(self.order.callers)))

    async def _ask(self, due: float) -> None:
        left, inside = perf_counter(), self.inside
        asked = self.asked[self.sent % len(self.asked)]
        self.sent += 1
        self.inside += 1
        status, told = await self.callers.ask(asked, self.order.timeout_s)
        self.inside -= 1
        found = told.get("parameters", {})
        answer = Answer(
            due_s=due - self.begun,
            late_ms=1000 * (left - due),
            latency_ms=1000 * (perf_counter() - due),
            status=status,
            queue_ms=found.get("queue_us", 0) / 1000,
            compute_ms=found.get("compute_us", 0) / 1000,
            rows=found.get("batch_rows", 0),
            version=str(told.get("model_version", "")),
            inside=inside,
        )
        self._lines.append(answer.line())

    async def _write(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_S)
            self._flush()

    def _flush(self) -> None:
        lines, self._lines = b"".join(self._lines), []
        while lines:
            lines = lines[os.write(self._out, lines) :]


async def _until(due: float) -> None:
    """Wait for a time; one that has passed still lets others have a turn."""
    await asyncio.sleep(max(0.0, due - perf_counter()))


def requests(order: Order) -> list[bytes]:
    """The requests that are sent in turn."""
    return [request(order.url, asked) for asked in json.loads(Path(order.requests).read_bytes())]


async def obey(lines: asyncio.StreamReader) -> None:
    """Work on orders until stdin is closed; `more` and `end` speak to the one at work."""
    load: Load | None = None
    work: asyncio.Task[None] | None = None
    while line := await lines.readline():
        told = orjson.loads(line)
        if load and told.get("more"):
            load.more()
        if load and told.get("end"):
            load.end()
        if "order" in told:
            if work:
                await work
            order = Order(**told["order"])
            order.check()
            gc.collect()
            load = Load(order, Callers(order.url), requests(order))
            work = asyncio.create_task(load.run())


async def main() -> None:
    """Take orders from stdin."""
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    await obey(lines)


def loop() -> asyncio.AbstractEventLoop:
    """A loop whose waits are exact to some microseconds: epoll rounds them up to milliseconds."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


if __name__ == "__main__":
    gc.disable()  # a collection in mid-load would be measured as well
    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(main())
