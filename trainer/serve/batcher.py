"""Dynamic batching: one queue and one compute thread a version; knows neither HTTP nor models.

The thread takes the oldest request and all of the same shape behind it, up to `max_batch` rows,
when that many are there or the oldest has waited `delay_s`. While it computes the queue fills: that
alone makes batches, without any delay.
"""

import asyncio
import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from trainer.serve.bare import Bare
from trainer.serve.stats import Stats
from trainer.serve.tensors import Array
from trainer.serve.wire import Refused

LONGEST_S = 30.0  # that any request may wait
_PACE_BOUNDS = (0.1, 100.0)
_LEARNS = 0.2  # weight of the newest batch in the pace


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How a queue is kept: rows a batch, wait for more rows, and expected wait that is too long."""

    max_batch: int = 32
    delay_s: float = 0.0
    queue_s: float | None = 0.5


@dataclass(frozen=True)
class Done:
    """What a request gets: its own rows of the result, and where its time went."""

    scores: Array
    queue_s: float
    compute_s: float
    batch_rows: int


@dataclass(frozen=True, eq=False)
class _Item:
    feed: Array
    arrived: float
    expires: float
    future: "asyncio.Future[Done]"
    loop: asyncio.AbstractEventLoop

    @property
    def rows(self) -> int:
        return len(self.feed)


_Outcome = tuple[_Item, Done | Exception]


class Batcher:
    """Answers what is submitted, in order; after `close` what it holds, then its thread ends."""

    def __init__(
        self,
        forward: Callable[[Array], Array],
        limits: Limits,
        stats: Stats,
        bare: Bare,
        *,
        after: "Batcher | None" = None,
    ) -> None:
        """Start the thread; it computes nothing before that of `after` has ended.

        So answers of an older version never come after those of a newer one.
        """
        self._forward, self._limits, self._stats, self._bare = forward, limits, stats, bare
        self._queue: deque[_Item] = deque()
        self._held: list[_Item] = []  # the batch under way
        self._rows = 0
        self._is_open = True
        self._busy_until = 0.0
        self._pace = 1.0  # how many times longer batches take than they did when bare
        self._changed = threading.Condition()
        before = after._thread if after else None
        self._thread: threading.Thread = threading.Thread(
            target=self._work, args=[before], daemon=True
        )
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether the thread lives; without it nothing would be answered."""
        return self._thread.is_alive()

    @property
    def queue_rows(self) -> int:
        """Rows that wait."""
        return self._rows

    def submit(self, feed: Array, timeout_s: float | None = None) -> "asyncio.Future[Done]":
        """Put a request into the queue; call it on the event loop, which the answer comes to.

        Raises:
            Refused: 503, with a time to try again, when it would wait too long.
        """
        loop, now = asyncio.get_running_loop(), time.perf_counter()
        wait_s = min(timeout_s or LONGEST_S, LONGEST_S)
        item = _Item(feed, now, now + wait_s, loop.create_future(), loop)
        with self._changed:
            if not self._is_open or not self.is_alive:
                raise Refused(503, "the model's thread has ended", retry_after_s=1)
            self._check_wait(now)
            self._queue.append(item)
            self._rows += item.rows
            self._changed.notify()
        return item.future

    def close(self) -> None:
        """Let the thread answer what is queued and end."""
        with self._changed:
            self._is_open = False
            self._changed.notify()

    def join(self, seconds: float) -> None:
        """Wait until the thread has ended."""
        self._thread.join(seconds)

    def _check_wait(self, now: float) -> None:
        if self._limits.queue_s is None or not self._rows:
            return
        full, rest = divmod(self._rows, self._limits.max_batch)
        batches = full * self._bare.expected_s(self._limits.max_batch)
        batches += self._bare.expected_s(rest) if rest else 0.0
        wait_s = self._pace * batches + max(0.0, self._busy_until - now)
        if wait_s > self._limits.queue_s:
            self._stats.count("shed")
            why = f"the queue is full: {self._rows} rows wait, some {wait_s:.2f} s of work"
            raise Refused(503, why, retry_after_s=max(1, math.ceil(wait_s)))

    def _work(self, before: threading.Thread | None) -> None:
        if before:
            before.join(LONGEST_S)
        try:
            while batch := self._next():
                now = time.perf_counter()
                outcomes: list[_Outcome] = [_expired(i) for i in batch if i.expires <= now]
                self._stats.count("expired", len(outcomes))
                outcomes += self._answer([i for i in batch if i.expires > now])
                self._hand_over(outcomes)
        finally:
            self._give_up()

    def _next(self) -> list[_Item]:
        """Wait for the next batch; empty when closed and nothing is left."""
        most = self._limits.max_batch
        with self._changed:
            while not self._queue:
                if not self._is_open:
                    return []
                self._changed.wait()
            due = self._queue[0].arrived + self._limits.delay_s
            while self._is_open and self._rows < most and (left := due - time.perf_counter()) > 0:
                self._changed.wait(left)
            batch = [self._queue.popleft()]
            rows, shape = batch[0].rows, batch[0].feed.shape[1:]
            while self._queue and self._queue[0].feed.shape[1:] == shape:
                if rows + self._queue[0].rows > most:
                    break
                rows += self._queue[0].rows
                batch.append(self._queue.popleft())
            self._rows -= rows
            self._held = batch
            self._busy_until = time.perf_counter() + self._pace * self._bare.expected_s(rows)
            return batch

    def _answer(self, items: Sequence[_Item]) -> list[_Outcome]:
        """Compute a batch; a failed one again request by request, so only the bad one fails."""
        if not items:
            return []
        start = time.perf_counter()
        try:
            scores = self._forward(np.concatenate([item.feed for item in items]))
            rows = sum(item.rows for item in items)
            if len(scores) != rows:
                raise ValueError(f"{len(scores)} rows came back for {rows}")
        except Exception as error:
            if len(items) > 1:
                return [outcome for item in items for outcome in self._answer([item])]
            self._stats.count("failed")
            why = f"the model failed on this request: {type(error).__name__}: {error}"
            return [(items[0], Refused(500, why[:400]))]
        return self._shares(items, scores, start)

    def _shares(self, items: Sequence[_Item], scores: Array, start: float) -> list[_Outcome]:
        rows, spent = len(scores), time.perf_counter() - start
        now = spent / self._bare.expected_s(rows)
        pace = (1 - _LEARNS) * self._pace + _LEARNS * now
        self._pace = min(max(pace, _PACE_BOUNDS[0]), _PACE_BOUNDS[1])
        waits = [start - item.arrived for item in items]
        self._stats.add(rows, spent, waits)
        ends = np.cumsum([item.rows for item in items]).tolist()
        return [
            (item, Done(scores[end - item.rows : end], wait, spent, rows))
            for item, end, wait in zip(items, ends, waits, strict=True)
        ]

    def _hand_over(self, outcomes: list[_Outcome]) -> None:
        """Wake the event loop once a batch; a loop that has closed wants no answers."""
        if outcomes:
            with contextlib.suppress(RuntimeError):
                outcomes[0][0].loop.call_soon_threadsafe(_deliver, outcomes)

    def _give_up(self) -> None:
        with self._changed:
            self._is_open = False
            left, self._rows = [*self._held, *self._queue], 0
            self._queue.clear()
        error = Refused(503, "the model's thread has ended", retry_after_s=1)
        self._hand_over([(item, error) for item in left])


def _expired(item: _Item) -> _Outcome:
    return item, Refused(504, "the request's timeout passed while it stood in the queue")


def _deliver(outcomes: Sequence[_Outcome]) -> None:
    for item, outcome in outcomes:
        if item.future.done():
            continue  # whoever asked has gone
        if isinstance(outcome, Exception):
            item.future.set_exception(outcome)
        else:
            item.future.set_result(outcome)
