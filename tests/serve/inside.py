"""A server in a thread of the test's own process, for models that no runs folder could hold."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import uvicorn

from trainer.serve.backend import Backend, Matrix
from trainer.serve.bare import Bare
from trainer.serve.batcher import Limits
from trainer.serve.models import Models
from trainer.serve.server import Served, build
from trainer.serve.tensors import Array
from trainer.serve.versions import Settings

POISON = 13.0


class Doubling(Matrix):
    """Gives each row its double; fails on a poisoned one, dies on request, and waits at a gate."""

    platform, about = "test", "doubles"

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.computed: list[list[float]] = []  # the first column of each batch
        self.inside = 0
        self.is_dying = False

    def forward(self, feed: Array) -> Array:
        self.inside += 1
        self.gate.wait()
        self.computed.append(feed[:, 0].tolist())
        if self.is_dying:
            raise SystemExit
        if (feed == POISON).any():
            raise ArithmeticError("poison")
        doubled: Array = 2 * feed
        return doubled


def flat(seconds: float) -> Bare:
    """A curve of a model that takes the same time for any number of rows."""
    return Bare((1, 128), (seconds, seconds))


@contextmanager
def serving(
    runs: Path, limits: Limits, extras: dict[str, Backend] | None = None
) -> Iterator[tuple[str, Models]]:
    models = Models(runs, Settings(limits=limits))

    async def opening() -> None:
        for name, backend in (extras or {}).items():
            await models.add(name, backend)

    app = build(Served(models, limits.max_batch), opening)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=[[listening]])
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", models
        finally:
            server.should_exit = True
            thread.join(30)


def column(*values: float) -> Array:
    return np.array(values, np.float32)[:, None]
