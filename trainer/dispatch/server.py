"""The dispatcher's loop: look, bury the dead, keep limits, start what may, tell the line."""

import contextlib
import json
import os
import select
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from trainer import device, events, wake
from trainer import runs as folder
from trainer.dispatch import last_word
from trainer.dispatch.local import GRACE_S, Launched, LocalLauncher
from trainer.dispatch.queue import QueueEntry, Waiting, admit, expected_wait_s, order
from trainer.dispatch.recorder import Recorder
from trainer.errors import BadState
from trainer.lock import Lock
from trainer.process import identity
from trainer.runs import Run, RunConfig, RunStatus, list_runs
from trainer.wake import state_folder

TICK_S = 0.1
LOOK_S = 1.0  # a full look at the folder without being woken
IDLE_S = 60.0
GPU_UNITS = 2  # runs that share one GPU


class Dispatcher:
    """Owns one runs folder; a record lock on a file that is opened once sees that one lives."""

    def __init__(self, runs: Path, command: list[str]) -> None:
        """Take over: adopt a dead dispatcher's workers, start the warm parent, look at the device.

        Raises:
            BlockingIOError: if another dispatcher owns this folder.
        """
        self.runs, self.state = runs, state_folder(runs)
        self._lock = Lock(self.state / "lock")
        self._bell = wake.listen(self.state)
        self.waiting: dict[str, Run] = {}
        self._configs: dict[str, RunConfig] = {}
        self._elapsed: dict[str, float] = {}
        self._served: dict[str, float] = {}
        self._usual: dict[str, float | None] = {}
        self._looked_at = self._busy_at = self._ticked_at = 0.0
        self._told: bytes | None = None
        self.leaving = False
        identity().write(self.state / "dispatcher.json")
        self.launcher = LocalLauncher(command, self.state / "warm.log")
        self._recorder = Recorder(runs) if os.environ.get("STAGECOACH_HISTORY") != "off" else None
        found = device.look(runs)
        self.auto = found.kind
        self.slots = {"cpu": _cpu_slots(), "cuda": GPU_UNITS * found.gpus}
        self._busy_at = self._ticked_at = time.monotonic()

    def serve(self) -> None:
        """Run until asked to leave, or until idle for a minute with no app beside it."""
        signal.signal(signal.SIGTERM, self._asked_to_leave)
        try:
            while not self.leaving and self._lock.is_held:
                self.tick()
                self._wait()
        finally:
            self.launcher.end()
            if self._recorder:
                self._recorder.close()
            if self._lock.is_held:
                (self.state / "dispatcher.json").unlink(missing_ok=True)

    def tick(self) -> None:
        """Do all that is due now."""
        now = time.monotonic()
        passed, self._ticked_at = now - self._ticked_at, now
        if now - self._looked_at >= LOOK_S:
            self._look()
        for launched in list(self.launcher.launched.values()):
            with self._alone(launched.run):
                self._watch(launched, passed)
        for run in list(self.waiting.values()):
            with self._alone(run):
                self._drop_if_stopped(run)
        self._start()
        self._tell()
        if self._recorder:
            self._recorder.keep()
        if self.waiting or self.launcher.capacity() or wake.was_seen(self.state, IDLE_S):
            self._busy_at = now
        self.leaving = self.leaving or now - self._busy_at > IDLE_S

    def _look(self) -> None:
        """Find new and resumed runs, and adopt workers that nobody answers for."""
        self._looked_at = time.monotonic()
        self.launcher.warm_up()
        for run in folder.newest_first(self.runs, self._configs):
            if run.id not in self.launcher.launched and run.id not in self.launcher.asked:
                with self._alone(run):
                    self._take(run)

    def _take(self, run: Run) -> None:
        learner = self._config(run).learner
        life = run.record.life
        if life is None or life.kind == "ended":
            self.waiting.pop(run.id, None)
        elif run.is_alive or life.kind != "queued":
            self._elapsed[run.id] = run.seconds
            self.launcher.adopt(run)
            self._served[learner] = run.started_at or 0.0
        else:
            self.waiting[run.id] = run

    @contextlib.contextmanager
    def _alone(self, run: Run) -> Iterator[None]:
        """See that a run whose folder was damaged or removed costs no other run."""
        try:
            yield
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"{run.id}: {error!r}", file=sys.stderr, flush=True)
            self.waiting.pop(run.id, None)
            if run.id in self.launcher.launched and not run.path.is_dir():
                self.launcher.stop(run.id, signal.SIGKILL)
                self.launcher.forget(run.id)

    def _config(self, run: Run) -> RunConfig:
        """Return what was asked for: read once, for nobody may change it afterwards."""
        if run.id not in self._configs:
            self._configs[run.id] = run.config
        return self._configs[run.id]

    def _watch(self, launched: Launched, passed_s: float) -> None:
        run = launched.run
        limit_s = self._config(run).time_limit_s
        if self.launcher.has_ended(launched):
            self._bury(launched)
            return
        run.path.stat()  # a run whose folder was removed has no more business here
        if not run.record.samples.get("paused"):
            self._elapsed[run.id] = self._elapsed.get(run.id, 0.0) + passed_s
        stop = run.path / "commands" / "stop"
        if stop.exists():
            if time.time() - stop.stat().st_mtime > GRACE_S:
                self.launcher.stop(run.id, signal.SIGKILL)
        elif self._elapsed[run.id] > limit_s:
            with contextlib.suppress(BadState):
                run.stop(f"stopped by its time limit of {limit_s:g} s")

    def _bury(self, launched: Launched) -> None:
        """Write the last word that a killed worker could not say."""
        run = launched.run
        code = self.launcher.forget(run.id)
        self._elapsed.pop(run.id, None)
        self._usual.clear()
        life = run.record.life
        if life is None or life.kind == "ended" or (life.t > launched.at and life.kind == "queued"):
            return  # it said it itself, or somebody has resumed it meanwhile
        stopped = run.path / "commands" / "stop"
        if stopped.exists():
            reason = f"{stopped.read_text()}; it did not answer in {GRACE_S:g} s and was killed"
            last_word.say(run, "KILLED", reason)
        else:
            last_word.say(run, "FAILED", "killed", last_word.cause(run, code))

    def _drop_if_stopped(self, run: Run) -> None:
        stop = run.path / "commands" / "stop"
        if stop.exists():
            last_word.say(run, "KILLED", f"{stop.read_text()} while it waited")
            del self.waiting[run.id]

    def _line(self) -> list[Waiting]:
        launched = self.launcher.launched.values()
        going = Counter(self._config(one.run).learner for one in launched)
        return order(map(self._describe, self.waiting.values()), going, self._served)

    def _describe(self, run: Run) -> Waiting:
        config = self._config(run)
        kind = self.auto if config.device == "auto" else config.device
        if not self.slots.get(kind):
            kind = "cpu"  # a run that insists on CUDA starts on a CPU slot and says what is missing
        return Waiting(
            id=run.id,
            learner=config.learner,
            queued_at=run.queued_at or 0.0,
            device=kind,
            units=self._units(run, kind),
        )

    def _units(self, run: Run, kind: str) -> int:
        return min(self._config(run).threads, self.slots["cpu"]) if kind == "cpu" else 1

    def _start(self) -> None:
        if not self.waiting:
            return
        free = Counter(self.slots)
        for launched in self.launcher.launched.values():
            free[launched.device] -= self._units(launched.run, launched.device)
        free["cpu"] -= len(self.launcher.asked)
        for chosen in admit(self._line(), free):
            run = self.waiting.pop(chosen.id)
            (run.path / "commands" / "step").unlink(missing_ok=True)
            wanted = self._config(run).device
            self._served[chosen.learner] = time.time()
            self.launcher.submit(run, chosen.device if wanted == "auto" else wanted)

    def _tell(self) -> None:
        """Write everybody's place, only when it has changed."""
        running = len(self.launcher.launched)
        entries = []
        for place, waiting in enumerate(self._line(), 1):
            usual = self._usual_s(self._config(self.waiting[waiting.id]).lab)
            wait = expected_wait_s(place, self.slots["cpu"], usual, running)
            entries.append(asdict(QueueEntry(id=waiting.id, place=place, wait_s=wait)))
        text = json.dumps(entries).encode()
        if text != self._told:
            events.replace(self.state / "queue.json", text)
            self._told = text

    def _usual_s(self, lab: str) -> float | None:
        if lab not in self._usual:
            recent = list_runs(self.runs, lab=lab, limit=20)
            times = [run.seconds for run in recent if run.status is RunStatus.FINISHED]
            self._usual[lab] = statistics.median(times) if times else None
        return self._usual[lab]

    def _wait(self) -> None:
        """Sleep until the bell rings, the warm parent speaks, or a tick has gone."""
        replies = self.launcher.replies
        descriptors = [self._bell] if replies is None else [self._bell, replies]
        with contextlib.suppress(InterruptedError):
            readable, _, _ = select.select(descriptors, [], [], TICK_S)
            if self._bell in readable:
                os.read(self._bell, 4096)
                self._looked_at = 0.0
            if replies in readable:
                self.launcher.listen()

    def _asked_to_leave(self, *_: object) -> None:
        self.leaving = True


def _cpu_slots() -> int:
    """Return how many CPU threads may train at once: one a core, or STAGECOACH_SLOTS."""
    wanted = os.environ.get("STAGECOACH_SLOTS", "")
    return int(wanted) if wanted.isdigit() and int(wanted) else len(os.sched_getaffinity(0))
