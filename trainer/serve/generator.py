"""The load generator as a lab holds it: orders go down a pipe, answers are read from a file."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from trainer.errors import StagecoachError
from trainer.serve.answers import Answer
from trainer.serve.order import Order

_END_S = 5.0


class LoadLost(StagecoachError):  # noqa: N818 - reads better at a raise
    """The load generator died, so that what it measured is not whole."""


class Generator:
    """A process that sends load while the `with` block lives; it leaves when its stdin closes."""

    def __init__(self, folder: Path) -> None:
        """`folder` takes the answers."""
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._count = 0
        self._at = 0
        self._out = folder / "answers-0.jsonl"
        self._done: dict[str, Any] | None = {}

    def __enter__(self) -> Self:
        """Start it, in this process's group."""
        command = [sys.executable, "-m", "trainer.serve.load"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _tb: TracebackType | None,
    ) -> None:
        """Close its stdin and collect it."""
        assert self._process
        assert self._process.stdin
        try:
            self._process.stdin.close()
            self._process.wait(_END_S)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._out.unlink(missing_ok=True)

    @property
    def pid(self) -> int:
        """The process, for whoever wants to hurt it."""
        assert self._process
        return self._process.pid

    @property
    def is_done(self) -> bool:
        """Whether the last order is over and all its answers were read."""
        return self._done is not None

    @property
    def sent(self) -> int:
        """How many requests the last order sent, as the generator itself counted."""
        return int((self._done or {}).get("sent", 0))

    def start(self, order: Order) -> None:
        """Begin a load; the one before it must be done.

        Raises:
            BadSetting: for an order beyond the bounds.
            LoadLost: if the generator is gone.
        """
        order.check()
        assert self.is_done
        self._out.unlink(missing_ok=True)
        self._count += 1
        self._out = self._folder / f"answers-{self._count}.jsonl"
        self._at, self._done = 0, None
        self._say({"order": order.as_dict() | {"out": str(self._out)}})

    def more(self) -> None:
        """Renew the lease of the load."""
        self._say({"more": True})

    def end(self) -> None:
        """Let nothing more be sent."""
        self._say({"end": True})

    def read(self) -> Iterator[Answer]:
        """The answers that came since the last look.

        Raises:
            LoadLost: if the generator is gone before it was done.
        """
        assert self._process
        code = self._process.poll()  # asked first: what it wrote before is read below
        try:
            with self._out.open("rb") as file:
                file.seek(self._at)
                chunk = file.read()
        except FileNotFoundError:
            chunk = b""
        chunk = chunk[: chunk.rfind(b"\n") + 1]
        self._at += len(chunk)
        for line in chunk.splitlines():
            if line.startswith(b"["):
                yield Answer.parse(line)
            else:
                self._done = orjson.loads(line)
        if self._done is None and code is not None:
            raise self._lost(code)

    def _say(self, told: dict[str, Any]) -> None:
        assert self._process
        assert self._process.stdin
        try:
            self._process.stdin.write(orjson.dumps(told) + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._lost(self._process.wait()) from None

    def _lost(self, code: int) -> LoadLost:
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        return LoadLost(f"The load generator {how}. Resume starts another one.")
