"""The worker's side of a run: what a lab may call while it trains."""

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import torch

from trainer import arms, checkpoint, events, readout, ticket_source
from trainer.events import Event
from trainer.readout import Clock, Pending
from trainer.runs import Run, RunConfig
from trainer.wake import runs_of

FLUSH_S = 0.12  # a viewer sees no difference below it, and a longer wait would be felt
POLL_S = 0.05  # how often a running worker looks for commands
PARKED_AFTER_S = 600.0  # a run paused for so long gives its slot back
CHECKPOINTS = 12  # a run; the first falls within the first tenth of its steps

Order = Literal["pause", "step", "resume"]


class ActiveRun:
    """A run from the inside; only its worker has one."""

    def __init__(self, run: Run, device: torch.device) -> None:
        """Read the config and the newest checkpoint; nothing is written yet."""
        self.path: Path = run.path
        self.runs: Path = runs_of(run.path)
        self.config: RunConfig = run.config
        self.device = device
        self.granted = device.type  # what child runs may use; `device` is the CPU in a forking lab
        self.followers: list[Callable[[Order], None]] = []  # are told what this run is told
        self.seed, self.threads = self.config.seed, self.config.threads
        self.reason = ""
        self.from_step, self.restored = checkpoint.newest(self.path / "checkpoints") or (0, {})
        self.results: dict[str, Any] = dict(self.restored.get("results", {}))
        self._clock = Clock(float(self.restored.get("seconds", 0.0)))
        self._pending: list[Pending] = []
        self._flush_due = self._polled_at = 0.0
        self._last_step, self._every = self.from_step, 1
        self._saved_at = self.from_step
        self._stop = self._is_held = False
        self._file = -1

    def begin(self, values: dict[str, Any]) -> None:
        """Say `started`, or `resumed` when a worker had this run before; then let losses in."""
        resumed = any(event.kind == "started" for event in Run(self.path).events()[0])
        kind = "resumed" if resumed else "started"
        if resumed:
            values = values | {"from_step": self.from_step}
        self._say(kind, values, durable=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(self.path / events.FILE, flags)

    def plan(
        self,
        *,
        steps: int,
        steps_per_epoch: int,
        examples_per_step: int,
        arms: dict[str, int] | None = None,
        epoch_steps: dict[str, int] | None = None,
        side_by_side: bool = False,
    ) -> None:
        """Say how long the run will be; `arms` maps each arm to its number of steps.

        `epoch_steps` gives steps an epoch for each arm, where arms learn from more or fewer rows.
        Arms `side_by_side` go on at the same time and count the same steps.
        """
        starts, at = {}, 0
        for name, count in (arms or {}).items():
            starts[name] = at
            at += 0 if side_by_side else count
        self._every = max(1, steps // CHECKPOINTS)
        plan: dict[str, Any] = {"steps": steps, "steps_per_epoch": steps_per_epoch}
        plan |= {"examples_per_step": examples_per_step}
        self.show("plan", plan | {"arms": starts, "epoch_steps": epoch_steps or {}})

    def log(self, step: int, **metrics: Any) -> None:
        """Log figures of one step: numbers, or 0-d tensors, read only when they are written."""
        now = time.monotonic()
        self._pending.append((step, now, metrics))
        self._last_step = step
        if now >= self._flush_due:
            self.flush()

    def show(self, name: str, value: Any, *, origin: str = "M") -> None:
        """Feed a picture."""
        self.flush()
        self._say("sample", {"name": name, "value": value}, origin=origin)

    def uses(self, data: Path) -> Path:
        """Say which data set this run learns from, by hash and dials; returns its folder."""
        self.show("data", data.name)
        self.save("data", ticket_source.written(data))
        return data

    def find(self, name: str, value: float, text: str) -> None:
        """State the finding: one figure and one sentence."""
        self.flush()
        self._say("finding", {"name": name, "value": value, "text": text})

    def save(self, name: str, data: bytes | str | dict[str, Any]) -> Path:
        """Keep an artifact; a dict becomes JSON."""
        if isinstance(data, dict):
            name, data = f"{name.removesuffix('.json')}.json", json.dumps(data)
        place = self.path / "artifacts" / name
        events.replace(place, data.encode() if isinstance(data, str) else data)
        return place

    def arms(self, steps: dict[str, int]) -> Iterator[arms.Arm]:
        """Yield the arms still to train; see `trainer.arms`."""
        return arms.unfinished(self, steps)

    def should_save(self, step: int) -> bool:
        """Obey commands, then say whether a checkpoint is due: regularly, and before a stop."""
        self._obey()
        return self._stop or step - self._saved_at >= self._every

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Write a checkpoint of the last logged step; events up to it are on disk before."""
        self.flush()
        os.fsync(self._file)
        state = state | {"seconds": self._clock.seconds()}
        place = checkpoint.write(self.path / "checkpoints", self._last_step, state)
        self._saved_at = self._last_step
        self._say("checkpoint", {"file": place.name}, durable=True)

    @property
    def should_stop(self) -> bool:
        """Whether the lab should leave its loop now; commands are obeyed in `should_save`."""
        return self._stop

    def stop(self, reason: str) -> None:
        """Ask the lab to end after this step (a signal handler may call this)."""
        self.reason, self._stop = self.reason or reason, True

    def flush(self) -> None:
        """Write what was logged: one line a step, all lines in one write."""
        self._flush_due = time.monotonic() + FLUSH_S
        if self._pending:
            pending, self._pending = self._pending, []
            events.write_all(self._file, readout.lines(pending, self._clock))

    def end(self, status: str, reason: str, *, error: str | None, surprise: bool | None) -> None:
        """Say the last word."""
        self.flush()
        values = {"status": status, "reason": reason, "error": error, "surprise": surprise}
        self._say("ended", values, durable=True)

    def _say(
        self, kind: Any, values: dict[str, Any], *, origin: str = "M", durable: bool = False
    ) -> None:
        event = Event(
            kind=kind,
            step=self._last_step,
            seconds=self._clock.seconds(),
            t=time.time(),
            values=values,
            origin=origin,
        )
        events.append(self.path / events.FILE, event.line(), durable=durable)

    def _obey(self) -> None:
        now = time.monotonic()
        if now - self._polled_at < POLL_S:
            return
        self._polled_at = now
        if self._is_asked("stop"):
            self.stop((self.path / "commands" / "stop").read_text() or "stopped")
        if self._is_asked("pause") and not self._stop:
            self._wait()
        elif self._is_held:  # resumed in the moment of a single step
            self._go_on()

    def _is_asked(self, name: str) -> bool:
        return os.access(self.path / "commands" / name, os.F_OK)

    def _wait(self) -> None:
        """Stand still between two steps until somebody resumes, steps or stops, or parked."""
        self.flush()
        self._clock.hold()
        self._is_held = True
        self._say("sample", {"name": "paused", "value": True})
        self._pass_on("pause")
        since = time.monotonic()
        while self._is_asked("pause") and not self._stop:
            if self._is_asked("stop"):
                self.stop((self.path / "commands" / "stop").read_text() or "stopped")
            elif self._is_asked("step"):
                (self.path / "commands" / "step").unlink()
                self._polled_at = 0.0  # look again after this one step
                self._clock.go()
                self._pass_on("step")
                return
            elif time.monotonic() - since > PARKED_AFTER_S:
                self.stop("parked")
            time.sleep(0.01)
        self._clock.go()
        self._go_on()

    def _go_on(self) -> None:
        self._is_held = False
        if not self._stop:
            self._pass_on("resume")
        self._say("sample", {"name": "paused", "value": False})

    def _pass_on(self, order: Order) -> None:
        for follow in self.followers:
            follow(order)


def on_signals(run: ActiveRun) -> None:
    """Let SIGTERM and SIGINT mean: finish the step, write a checkpoint, end."""

    def asked(_number: int, _frame: object) -> None:
        reason = run.path / "commands" / "stop"
        with contextlib.suppress(OSError):
            run.stop(reason.read_text())
        run.stop("stopped by a signal")

    signal.signal(signal.SIGTERM, asked)
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C belongs to the command line, which asks by SIGTERM
