"""The launcher of this machine: workers by the warm parent, known by identity, ended by group."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from trainer import catalogue
from trainer.process import Identity, identity
from trainer.runs import Run

GRACE_S = float(
    os.environ.get("STAGECOACH_GRACE_S", "10")
)  # from the polite signal to the last one
_LEAVES_WITHIN_S = 2.0
_TOLD_WITHIN_S = 0.5  # the news of a death comes by another way than the death itself
PASSIVE = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "PYTHONUNBUFFERED": "1"}


@dataclass
class Launched:
    """A worker that this launcher answers for."""

    run: Run
    process: Identity | None
    device: str
    at: float = field(default_factory=time.time)
    is_ours: bool = False  # a child of this warm parent, which will tell how it ended
    died_at: float | None = None

    @property
    def is_alive(self) -> bool:
        """Whether the worker lives; a run whose worker was never seen counts as dead."""
        return self.process is not None and self.process.is_alive


class LocalLauncher:
    """Submit, watch and stop workers; `command` is all it knows of any lab."""

    def __init__(self, command: list[str], log: Path) -> None:
        """Start the warm parent in the background; nobody waits the seconds it takes to load."""
        self._command, self._log = command, log
        self._warm: subprocess.Popen[bytes] | None = None
        self._buffer, self._ready, self._hash = b"", False, ""
        self._codes: dict[int, int] = {}
        self._asked: list[tuple[Run, str]] = []
        self._sent: set[str] = set()  # ids that this warm parent has been asked for
        self.launched: dict[str, Launched] = {}
        self.warm_up()

    @property
    def replies(self) -> int | None:
        """The descriptor that becomes readable when the warm parent has something to say."""
        return self._warm.stdout.fileno() if self._warm and self._warm.stdout else None

    def capacity(self) -> int:
        """Return how many workers are going or asked for."""
        return len(self.launched) + len(self._asked)

    def submit(self, run: Run, device: str) -> None:
        """Start a worker for a run; returns at once, also while the warm parent still loads."""
        self._asked.append((run, device))
        self.warm_up()
        if self._ready:
            self._ask()

    def adopt(self, run: Run) -> None:
        """Answer for a worker that an earlier dispatcher started."""
        self.launched[run.id] = Launched(run, run.worker, run.record.device or "cpu")

    def has_ended(self, launched: Launched) -> bool:
        """Whether a worker is gone and, if the warm parent can tell, it is known how it ended."""
        if launched.is_alive:
            return False
        launched.died_at = launched.died_at or time.monotonic()
        told = launched.process is None or launched.process.pid in self._codes
        return told or not launched.is_ours or time.monotonic() - launched.died_at > _TOLD_WITHIN_S

    def stop(self, run_id: str, number: signal.Signals = signal.SIGTERM) -> None:
        """Signal a worker; SIGKILL goes to its whole group."""
        launched = self.launched.get(run_id)
        if launched and launched.process:
            launched.process.send(number, group=number == signal.SIGKILL)

    def forget(self, run_id: str) -> int | None:
        """Drop an ended worker and what is left of its group; return its exit code if known."""
        launched = self.launched.pop(run_id)
        if launched.process is None:
            return None
        launched.process.end_group()
        return self._codes.pop(launched.process.pid, None)

    def warm_up(self) -> None:
        """See that a warm parent of today's code runs; one of older code is let go."""
        current = catalogue.code_hash()
        if self._warm and self._warm.poll() is None and self._hash == current:
            return
        self.close()
        self._hash, self._ready, self._buffer = current, False, b""
        self._sent.clear()
        with self._log.open("ab") as log:
            self._warm = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=catalogue.ROOT,
                env=os.environ | PASSIVE,
                start_new_session=True,
            )

    def listen(self) -> None:
        """Take the warm parent's news; call when `replies` is readable."""
        assert self._warm is not None
        assert self._warm.stdout is not None
        chunk = os.read(self._warm.stdout.fileno(), 65536)
        if not chunk:  # it is dead: whatever was asked and not answered is asked again
            self._warm.wait()
            self.warm_up()
            return
        self._hear(chunk)

    def end(self) -> None:
        """Let the warm parent go, and end what it started beside workers: the maker of data."""
        warm = identity(self._warm.pid) if self._warm and self._warm.poll() is None else None
        self.close()
        if warm:
            warm.end_group()  # workers have groups of their own

    def close(self) -> None:
        """Let the warm parent go: it leaves when its pipe closes."""
        if self._warm is None:
            return
        assert self._warm.stdin is not None
        assert self._warm.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._warm.stdin.close()
        self._drain(self._warm.stdout.fileno(), time.monotonic() + _LEAVES_WITHIN_S)
        self._warm.kill()  # still importing, if it is still there: it has nothing to lose
        self._warm.wait()
        self._warm.stdout.close()
        self._warm = None

    def _drain(self, replies: int, deadline: float) -> None:
        """Hear what a parent that is let go has still to tell, so that no fork is missed."""
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([replies], [], [], left)[0]:
                return
            chunk = os.read(replies, 65536)
            if not chunk:
                return
            self._hear(chunk)

    def _hear(self, chunk: bytes) -> None:
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def _take(self, message: dict[str, object]) -> None:
        if "ready" in message:
            self._ready = True
            self._ask()
        elif "exited" in message:
            self._codes[int(str(message["exited"]))] = int(str(message["code"]))
        else:
            self._started(str(message["run"]), int(str(message["pid"])))

    def _ask(self) -> None:
        assert self._warm is not None
        assert self._warm.stdin is not None
        if self._warm.stdin.closed:  # it is being let go
            return
        for run, device in self._asked:
            if run.id in self._sent:
                continue
            self._sent.add(run.id)
            request = json.dumps({"run": str(run.path), "device": device})
            with contextlib.suppress(BrokenPipeError):
                self._warm.stdin.write(request.encode() + b"\n")
        with contextlib.suppress(BrokenPipeError):
            self._warm.stdin.flush()

    def _started(self, path: str, pid: int) -> None:
        for asked in self._asked:
            if str(asked[0].path) == path:
                self._asked.remove(asked)
                break
        else:
            return
        run, device = asked
        self._sent.discard(run.id)
        try:
            process: Identity | None = identity(pid)
        except ProcessLookupError:
            process = None
        self.launched[run.id] = Launched(run, process, device, is_ours=True)

    @property
    def asked(self) -> set[str]:
        """Ids of the runs whose worker is asked for but not there yet."""
        return {run.id for run, _ in self._asked}
