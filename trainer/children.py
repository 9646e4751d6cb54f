"""Child runs: whole runs inside a run, each worked on by a process forked from its worker.

They lie in `children/NAME` of the run's folder and stay in the worker's slot and process group.
What they train is a lab that the caller brings. A stop, a pause and a step of the parent are passed
on; a child that died is started again from its checkpoint by whoever started it.
"""

import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from trainer.dispatch import last_word
from trainer.errors import BadSetting, ChildLost
from trainer.events import Event, queue
from trainer.exit_codes import BAD_INPUT, FAILED, FINISHED, STOPPED
from trainer.life import Lab, live
from trainer.process import Identity, identity, threads
from trainer.run import Run
from trainer.run_config import RunConfig, RunStatus
from trainer.runs import place
from trainer.wake import CHILDREN
from trainer.warm import redirect
from trainer.worker import ActiveRun, Order

LEAVE_S = 6.0  # from the polite signal to the last one: shorter than the parent's own grace
_STEP_S = 2.0  # so long the parent waits for a step that it passed on
_LOOK_S = 0.005
_TRIES = 3  # deaths at one step that are no accident


@dataclass
class Work:
    """What a child run works on: settings and training as a lab has them, but no promise."""

    Config: type
    PRESETS: dict[str, dict[str, Any]]
    train: Callable[[Any, ActiveRun], None]

    def expect(self, run: Run) -> None:
        """Promise nothing: that is the parent's part."""


class Child:
    """A child run as its parent sees it: its folder, its process, its news."""

    def __init__(self, run: Run) -> None:
        """Know the folder; no process works on it yet."""
        self.run = run
        self.process: Identity | None = None
        self.code: int | None = None  # how the last process ended; below 0: the signal
        self._offset = 0
        self._died_at: list[int] = []

    @property
    def is_finished(self) -> bool:
        """Whether it has done all its steps."""
        return self.run.status is RunStatus.FINISHED

    @property
    def is_going(self) -> bool:
        """Whether a process works on it; one that has ended is collected here."""
        if self.process is None:
            return False
        pid, status = os.waitpid(self.process.pid, os.WNOHANG)
        if pid:
            self._bury(os.waitstatus_to_exitcode(status))
        return not pid

    @property
    def is_hopeless(self) -> bool:
        """Whether it died again and again at the same step."""
        again = self._died_at[-_TRIES:]
        return len(again) == _TRIES and len(set(again)) == 1

    def news(self) -> list[Event]:
        """Return the events since the last call, in the order in which they were written."""
        found, self._offset = self.run.events(self._offset)
        return found

    def ask_to_stop(self, reason: str) -> None:
        """Ask for the end of this step and a checkpoint."""
        (self.run.path / "commands" / "stop").write_text(reason)
        if self.process:
            self.process.send(signal.SIGTERM)

    def kill(self) -> None:
        """End its process at once, also one that stands still, and collect it."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        _, status = os.waitpid(self.process.pid, 0)
        self._bury(os.waitstatus_to_exitcode(status), by_us=True)

    def wait(self, seconds: float) -> bool:
        """Wait until its process has ended; False if it has not within `seconds`."""
        deadline = time.monotonic() + seconds
        while self.is_going:
            if time.monotonic() > deadline or (self.process and self.process.is_held):
                return False
            time.sleep(_LOOK_S)
        return True

    def obey(self, order: Order) -> None:
        """Pass an order on; it is read between two steps."""
        commands = self.run.path / "commands"
        if order == "resume":
            (commands / "pause").unlink(missing_ok=True)
        else:
            (commands / order).touch()

    @property
    def has_stepped(self) -> bool:
        """Whether the step that was passed on is done; a process that is gone does none."""
        return not self.is_going or not (self.run.path / "commands" / "step").exists()

    def checkpoints(self) -> list[int]:
        """Return the steps of the checkpoints that are kept, the oldest first."""
        return sorted(int(place.stem) for place in (self.run.path / "checkpoints").glob("*.json"))

    def roll_back(self, step: int) -> None:
        """Give up the checkpoints of later steps, so that the next life goes on from `step`."""
        for later in [kept for kept in self.checkpoints() if kept > step]:
            for ending in ("json", "safetensors"):  # without its JSON a checkpoint does not count
                (self.run.path / "checkpoints" / f"{later:09d}.{ending}").unlink(missing_ok=True)

    def _bury(self, code: int, *, by_us: bool = False) -> None:
        """Take note of an end, and say the last word that a killed process could not say.

        One that died by itself has failed, also where it had been asked to stop a moment before.
        """
        self.process, self.code = None, code
        if code not in (FINISHED, STOPPED):
            self._died_at.append(self.run.step)
        life = self.run.record.life
        if life is None or life.kind == "ended":
            return
        stop = self.run.path / "commands" / "stop"
        if by_us and stop.exists():
            last_word.say(self.run, "KILLED", stop.read_text())
        else:
            last_word.say(self.run, "FAILED", "killed", last_word.cause(self.run, code))


class Children:
    """The child runs of one run; whoever leaves the `with` block leaves no process behind."""

    def __init__(self, run: ActiveRun) -> None:
        """Nothing is forked before the first `start`."""
        self._run = run
        self._home: Path = run.path / CHILDREN
        self.all: dict[str, Child] = {}

    def __enter__(self) -> Self:
        """Follow the parent's commands."""
        self._run.followers.append(self._obey)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave no child behind; what they have saved stays."""
        self._run.followers.remove(self._obey)
        for child in self.all.values():
            child.kill()

    def add(self, name: str, settings: dict[str, Any]) -> Child:
        """Return the child run of that name; its folder is made on first use, nothing is started.

        Seed, threads, data and learner are the parent's.
        """
        self.all[name] = Child(self._folder(name, settings))
        return self.all[name]

    def start(self, child: Child, lab: Lab) -> None:
        """Start a child run, or go on with it from its newest checkpoint; a finished one rests.

        `lab` may differ from life to life.

        Raises:
            BadSetting: if the child was refused what it was asked, with its own sentence.
            ChildLost: for one that would only end the same way again, with its own sentence.
        """
        if child.is_finished or child.is_going:
            return
        if child.code == BAD_INPUT:
            raise BadSetting(child.run.error)
        if child.is_hopeless:
            raise ChildLost(child.run.error or f"The child {child.run.id} cannot be started.")
        life = child.run.record.life
        if life is None or life.kind != "queued":
            queue(child.run.path, "resumed", step=child.run.step, seconds=child.run.seconds)
        shutil.rmtree(child.run.path / "commands", ignore_errors=True)
        (child.run.path / "commands").mkdir()
        self._fork(child, lab)

    def stop(self) -> None:
        """Let each finish its step, write a checkpoint and leave; kill what does not answer."""
        for child in self.all.values():
            if child.is_going:
                child.ask_to_stop(self._run.reason)
        deadline = time.monotonic() + LEAVE_S
        for child in self.all.values():
            if not child.wait(deadline - time.monotonic()):
                child.kill()

    def _folder(self, name: str, settings: dict[str, Any]) -> Run:
        path = self._home / name
        if (path / "config.json").is_file():
            return Run(path)
        ours = self._run.config.as_dict() | {"settings": settings, "device": "auto"}
        self._home.mkdir(exist_ok=True)
        return place(path, RunConfig.from_dict(ours | {"prediction": None, "confidence": None}))

    def _fork(self, child: Child, lab: Lab) -> None:
        assert threads() == 1, "a fork would leave the other threads' locks held for ever"
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            child.process, child.code = identity(pid), None
            return
        code = FAILED
        try:  # whatever happens, a child never returns into its parent's code
            redirect(child.run.path / "worker.log")
            code = live(child.run, lab, self._run.granted)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _obey(self, order: Order) -> None:
        going = [child for child in self.all.values() if child.is_going]
        for child in going:
            child.obey(order)
        deadline = time.monotonic() + _STEP_S
        while order == "step" and not all(child.has_stepped for child in going):
            if time.monotonic() > deadline:
                return
            time.sleep(_LOOK_S)
