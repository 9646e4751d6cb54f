"""An endpoint of one run's own: the real program, over a model folder inside the run's folder.

It stays in its worker's process group and ends with it; nobody else's champion is touched.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from trainer import events
from trainer.errors import StagecoachError
from trainer.registry.version import CHAMPION, FOLDER, Version, champion_number
from trainer.serve.place import Endpoint

_PATIENCE_S = 60.0  # to start, or to take a new version, on a busy machine
_END_S = 5.0
_IDLE_S = 90  # it leaves by itself after that, should everybody who knows it be gone
_LOOK_S = 0.02
_STATE = "endpoint.json"
WIDE = "wide"


class EndpointLost(StagecoachError):  # noqa: N818 - reads better at a raise
    """The private endpoint died, or does not do what it was asked."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How it batches: rows a batch at most, how long the oldest may be kept waiting for more.

    `rows` is what each request brings, no more than a batch holds. Where it `is_wide`, a wide model
    with random weights is served as well.
    """

    max_batch: int
    delay_ms: float
    rows: int = 1
    is_wide: bool = False

    @classmethod
    def of(cls, config: Any) -> Self:
        """Build from a lab's settings."""
        return cls(
            max_batch=config.max_batch,
            delay_ms=config.delay_ms,
            rows=min(config.rows, config.max_batch),
            is_wide=config.model == WIDE,
        )


class Private:
    """Answers for the models of `folder` while the `with` block lives."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        """Nothing is started before the block begins."""
        self.folder, self._limits = folder, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ""

    def __enter__(self) -> Self:
        """Start it and wait until it says where it is."""
        state = self.folder / _STATE
        state.unlink(missing_ok=True)
        options = {
            "state": state,
            "max-batch": self._limits.max_batch,
            "delay-ms": self._limits.delay_ms,
            "queue-s": "off",  # every request is answered, so that none is missing in a tail
            **({"extra": WIDE} if self._limits.is_wide else {}),
            "idle-s": _IDLE_S,
            "parent": os.getpid(),
        }
        given = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        command = [sys.executable, "-m", "trainer.serve", str(self.folder), *given]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            found = self._wait(lambda: Endpoint.read(state), "say where it is")
        except BaseException:
            self._end()
            raise
        self._address = found.address
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _tb: TracebackType | None,
    ) -> None:
        """End it; what is under way is not waited for."""
        self._end()

    @property
    def pid(self) -> int:
        """The process, for whoever wants to hurt it."""
        assert self._process
        return self._process.pid

    def url(self, model: str) -> str:
        """Where the model's requests go."""
        return f"{self._address}/v2/models/{model}/infer"

    def stats(self, model: str) -> dict[str, Any]:
        """What the endpoint counted of a model so far, its bare curve included."""
        return self._ask(f"/v2/models/{model}/stats") or {}

    def ready(self, model: str, version: int | None = None) -> dict[str, Any]:
        """Wait until a model answers, by that version if one is named; return its counters.

        Raises:
            EndpointLost: if it dies, or takes too long.
        """

        def look() -> dict[str, Any] | None:
            told = self._ask(f"/v2/models/{model}/stats") or {}
            is_there = version is None or told.get("version") == str(version)
            return told if told.get("is_ready") and is_there else None

        told: dict[str, Any] = self._wait(look, f"answer for {model}")
        return told

    def check(self) -> None:
        """Raise EndpointLost, with one sentence, if it is gone."""
        assert self._process
        code = self._process.poll()
        if code is None:
            return
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        raise EndpointLost(f"The endpoint {how}. Resume starts another one.")

    def _wait(self, look: Any, what: str) -> Any:
        due = time.monotonic() + _PATIENCE_S
        while time.monotonic() < due:
            self.check()
            if found := look():
                return found
            time.sleep(_LOOK_S)
        raise EndpointLost(f"The endpoint did not {what} for {_PATIENCE_S:.0f} s.")

    def _ask(self, path: str) -> dict[str, Any] | None:
        try:
            with urllib.request.urlopen(self._address + path, timeout=_PATIENCE_S) as answer:
                told = json.loads(answer.read())
        except (OSError, ValueError, urllib.error.URLError):
            return None
        return told if isinstance(told, dict) else None

    def _end(self) -> None:
        assert self._process
        self._process.terminate()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        (self.folder / _STATE).unlink(missing_ok=True)


def model_folder(folder: Path, model: str) -> Path:
    """Where a model's versions lie in the private folder."""
    return folder / FOLDER / model


def copy_in(folder: Path, version: Version) -> int:
    """Take a registered version as it is and crown it here; return its number."""
    place = model_folder(folder, version.model) / str(version.number)
    if not place.exists():
        aside = place.with_name(f".copy-{version.number}")
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(version.path, aside)
        aside.rename(place)
    crown(folder, version.model, version.number)
    return version.number


def crown(folder: Path, model: str, number: int) -> None:
    """Let this version answer from now on; the endpoint looks twice a second."""
    events.replace(model_folder(folder, model) / CHAMPION, f"{number}\n".encode())


def crowned(folder: Path, model: str) -> int | None:
    """The version that answers, None where there is none yet."""
    return champion_number(model_folder(folder, model))
