"""One endpoint's life: its server on a socket that already listens, until nobody needs it.

It leaves when it was idle for long, was asked to, lost its runs folder, or its parent is gone.
"""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from trainer.lock import Lock
from trainer.serve import versions
from trainer.serve.models import Models
from trainer.serve.server import Served, build
from trainer.serve.versions import Settings

_LOOKS_EVERY_S = 0.2
_MOST_CONNECTIONS = 2048  # who trickles a header holds one of them and nothing else
_KEEPS_ALIVE_S = 30
_GRACE_S = 8  # to answer what is under way when it is asked to end


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to serve, and what its life hangs on.

    Attributes:
        runs: the runs folder.
        settings: batch limits and threads.
        only: names of the models that are wanted; all if it is empty.
        extras: `wide`, `wide:UNITS` or `timed:A:B`, models that are in no runs folder.
        token: what a request must carry; None on a loopback address.
        idle_s: seconds without a request after which it leaves.
        parent: pid of the process that it belongs to, or None.
        lock: of its runs folder, or None for one that owns no folder.
    """

    runs: Path
    settings: Settings
    only: frozenset[str] = frozenset()
    extras: tuple[str, ...] = ()
    token: str | None = None
    idle_s: float
    parent: int | None = None
    lock: Lock | None = None

    def is_over(self, served: Served) -> bool:
        """Whether nobody needs the endpoint any more."""
        return (
            time.monotonic() - served.asked_at > self.idle_s
            or (self.parent is not None and os.getppid() != self.parent)
            or (self.lock is not None and not self.lock.is_held)
        )


class _Server(uvicorn.Server):
    """Says that it is leaving before it closes its socket, so that nobody counts on it."""

    leaving: Callable[[], None]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.leaving()
        await super().shutdown(sockets)


def run(plan: Plan, listening: socket.socket, leaving: Callable[[], None]) -> None:
    """Serve until it is over; `leaving` is called first thing then."""
    models = Models(plan.runs, plan.settings, plan.only)
    served = Served(models, plan.settings.limits.max_batch, plan.token)
    tasks: list[asyncio.Task[None]] = []

    async def opening() -> None:
        for words in plan.extras:
            await models.add(*versions.extra(words, plan.settings.threads))
        tasks.append(asyncio.create_task(_watch(plan, served, server)))

    server = _Server(
        uvicorn.Config(
            build(served, opening),
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=_KEEPS_ALIVE_S,
            timeout_graceful_shutdown=_GRACE_S,
        )
    )
    server.leaving = leaving
    # uvicorn sends the signal again when it has ended; then we end in order as well.
    signal.signal(signal.SIGTERM, _leave_in_order)
    server.run([listening])


async def _watch(plan: Plan, served: Served, server: uvicorn.Server) -> None:
    while not plan.is_over(served):
        await asyncio.sleep(_LOOKS_EVERY_S)
    server.should_exit = True


def _leave_in_order(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
