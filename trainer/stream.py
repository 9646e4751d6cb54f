"""Who watches what: one tail a run and one look at the machine, however many tabs; knows no server.

A message is one JSON object. Of a run: `{"run", "at", "t", "reset", "step", "seconds", "series":
{name: [[step, value, seconds], ...]}}` and, where they changed, `"status"`, `"plan"`, `"samples"`,
`"finding"`, `"reading"` (see `trainer.reading`); with `reset` it replaces all that the reader had.
Of the machine: `{"machine": {...}}`, once a second.
"""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import orjson

from trainer import gauges
from trainer.runs import RUN_ID
from trainer.tail import ENDED, Tail, word

__all__ = ["Hub", "word"]

_MACHINE_S = 1.0
GONE = {"word": "gone", "reason": "", "device": "", "malformed": 0}


class Hub:
    """Owns the tails of one runs folder."""

    def __init__(self, runs: Path) -> None:
        """Follow nothing yet; tails come with their first viewer and go with their last."""
        self._runs = runs
        self._tails: dict[str, Tail] = {}
        self._machine = Machine()

    def has(self, run_id: str) -> bool:
        """Whether there is such a run; no path ever leaves the runs folder."""
        return bool(RUN_ID.fullmatch(run_id)) and (self._runs / run_id).is_dir()

    async def updates(
        self, run_id: str, offset: int = 0, *, is_ending: bool = False
    ) -> AsyncGenerator[bytes, None]:
        """Yield all that is new since `offset`, tick by tick.

        Nothing queues: a slow viewer skips to the newest. An ended run is followed on, as it may be
        resumed, unless `is_ending`. A run that is not there is said to be gone.
        """
        if not self.has(run_id):
            yield orjson.dumps(
                {"run": run_id, "at": 0, "reset": True, "series": {}, "status": GONE}
            )
            return
        tail = self._tails.get(run_id) or self._open(run_id)
        tail.viewers += 1
        try:
            async for message in _messages(tail, offset, is_ending=is_ending):
                yield message
        finally:
            tail.viewers -= 1
            self._leave(run_id, tail)

    async def machine(self) -> AsyncGenerator[bytes, None]:
        """Yield a reading of this machine a second."""
        async for message in self._machine.readings():
            yield message

    async def close(self) -> None:
        """Stop every reader."""
        tasks = [tail.task for tail in self._tails.values()]
        self._tails.clear()
        tasks += self._machine.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _open(self, run_id: str) -> Tail:
        tail = self._tails[run_id] = Tail(self._runs / run_id)
        return tail

    def _leave(self, run_id: str, tail: Tail) -> None:
        if not tail.viewers:
            tail.task.cancel()
            if self._tails.get(run_id) is tail:
                del self._tails[run_id]


async def _messages(tail: Tail, offset: int, *, is_ending: bool) -> AsyncGenerator[bytes, None]:
    told = None
    while True:
        moved = tail.moved
        if tail.is_ready:
            frames, offset = tail.after(offset), tail.offset
            if tail.status is not told:
                told = tail.status
                frames.append(tail.told())
            for frame in frames:
                yield frame
            if is_ending and told["word"] in ENDED and offset == tail.offset:
                return
        await moved.wait()


class Machine:
    """Reads the gauges while somebody looks at them."""

    def __init__(self) -> None:
        """Read nothing yet."""
        self._viewers = 0
        self._latest = b""
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def readings(self) -> AsyncGenerator[bytes, None]:
        """Yield the same text to everybody who looks."""
        self._viewers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        try:
            while True:
                await self._moved.wait()
                yield self._latest
        finally:
            self._viewers -= 1
            if not self._viewers:
                self.stop()

    def stop(self) -> list[asyncio.Task[None]]:
        """Read no more; returns what is to be awaited."""
        task, self._task = self._task, None
        if task is None:
            return []
        task.cancel()
        return [task]

    async def _run(self) -> None:
        await asyncio.to_thread(gauges.read)  # CPU use is counted from one reading to the next
        await asyncio.sleep(_MACHINE_S / 4)
        while True:
            reading = await asyncio.to_thread(gauges.read)
            self._latest = orjson.dumps({"machine": reading})
            moved, self._moved = self._moved, asyncio.Event()
            moved.set()
            await asyncio.sleep(_MACHINE_S)
