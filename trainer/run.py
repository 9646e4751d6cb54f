"""A run is a folder: this is how everybody but its worker reads one and asks for things."""

import contextlib
import json
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainer import events, record
from trainer.errors import BadState
from trainer.events import Event
from trainer.process import Identity
from trainer.record import Record
from trainer.run_config import Finding, RunConfig, RunStatus
from trainer.wake import CHILDREN, runs_of, wake

_ENDS = (RunStatus.FINISHED, RunStatus.FAILED, RunStatus.KILLED)
_STAYS = {RunStatus.FINISHED: "This run has finished; there is nothing to resume."}
_STAYS |= {RunStatus.SCHEDULED: "This run waits in line already."}
_LOG_TAIL = 4_000  # bytes of worker.log that explain a failure


@dataclass(frozen=True)
class Run:
    """One run folder; everything but `path` is worked out from its files when asked for."""

    path: Path

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def config(self) -> RunConfig:
        """What was asked for."""
        return RunConfig.from_dict(json.loads((self.path / "config.json").read_bytes()))

    @property
    def record(self) -> Record:
        """What the events so far add up to."""
        return record.of(self.path)

    @property
    def worker(self) -> Identity | None:
        """The process that works or last worked on this run."""
        return Identity.read(self.path / "worker.json")

    @property
    def is_alive(self) -> bool:
        """Whether the worker lives; one on another host is believed, only its host may judge."""
        worker = self.worker
        return worker is not None and (worker.is_alive or not worker.is_here)

    @property
    def status(self) -> RunStatus:
        """The truth as the files and the process tell it."""
        is_alive = self.is_alive  # asked first: its last word may come between the two looks
        life = self.record.life
        if life is None or life.kind == "queued":
            return RunStatus.SCHEDULED
        if life.kind == "ended":
            word = life.values["status"]
            return RunStatus(word) if word in _ENDS else RunStatus.FAILED
        if is_alive:
            return RunStatus.RUNNING
        was_asked = (self.path / "commands" / "stop").exists()
        return RunStatus.KILLED if was_asked else RunStatus.FAILED

    @property
    def is_starting(self) -> bool:
        """Whether a worker exists that has not yet said *started*."""
        life = self.record.life
        return life is not None and life.kind == "queued" and self.is_alive

    @property
    def is_paused(self) -> bool:
        """Whether the worker has stopped between two steps and waits."""
        return bool(self.record.samples.get("paused")) and self.status is RunStatus.RUNNING

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come unless somebody resumes the run."""
        return self.status in (RunStatus.FINISHED, RunStatus.FAILED, RunStatus.KILLED)

    @property
    def queued_at(self) -> float | None:
        """Unix time of the last queueing."""
        return self.record.queued_at

    @property
    def started_at(self) -> float | None:
        """Unix time of the first start."""
        return self.record.started_at

    @property
    def ended_at(self) -> float | None:
        """Unix time of the end, None while there may be more."""
        life = self.record.life
        return life.t if life is not None and life.kind == "ended" else None

    @property
    def reason(self) -> str:
        """Why the run ended or waits, in a few words."""
        life = self.record.life
        return str(life.values.get("reason") or "") if life else ""

    @property
    def error(self) -> str | None:
        """What went wrong, in a sentence; None unless the run failed."""
        if self.status is not RunStatus.FAILED:
            return None
        life = self.record.life
        assert life is not None
        if life.kind == "ended":
            return str(life.values.get("error") or life.values.get("reason"))
        return f"The worker was killed at step {self.record.step:,}."

    @property
    def log_tail(self) -> str:
        """The end of what the worker printed."""
        with contextlib.suppress(OSError), (self.path / "worker.log").open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LOG_TAIL))
            return file.read().decode(errors="replace")
        return ""

    @property
    def finding(self) -> Finding | None:
        """The figure the lab is about, once found."""
        found = self.record.finding
        return Finding(found["name"], found["value"], found["text"]) if found else None

    @property
    def surprise(self) -> bool | None:
        """Whether the promised surprise showed; None with other than default settings."""
        life = self.record.life
        return life.values.get("surprise") if life and life.kind == "ended" else None

    @property
    def plan(self) -> dict[str, Any]:
        """Steps in all, steps an epoch, examples a step, first step of each arm."""
        return self.record.samples.get("plan") or {}

    @property
    def step(self) -> int:
        """The last step that was logged."""
        return self.record.step

    @property
    def seconds(self) -> float:
        """Running time in seconds; pauses and downtime left out."""
        return self.record.seconds

    @property
    def metrics(self) -> dict[str, float]:
        """The last value of each metric."""
        return dict(self.record.metrics)

    @property
    def has_checkpoint(self) -> bool:
        """Whether Resume would go on from a checkpoint rather than from the start."""
        return any((self.path / "checkpoints").glob("*.json"))

    @property
    def notes(self) -> dict[str, Any]:
        """What the learner wrote down about this run."""
        notes = _read(self.path / "notes.json")
        return notes if isinstance(notes, dict) else {}

    def note(self, **values: Any) -> None:
        """Keep answers and the learner's own finding with the run."""
        events.replace(self.path / "notes.json", json.dumps(self.notes | values).encode())

    def artifact(self, name: str) -> Any:
        """Return a JSON artifact of the run, or None where there is none."""
        return _read(self.path / "artifacts" / f"{name}.json")

    def events(self, offset: int = 0) -> tuple[list[Event], int]:
        """Return the events after `offset` and the offset behind them, resumes not yet applied."""
        return events.read(self.path / events.FILE, offset)

    def metric(self, name: str) -> list[tuple[int, float]]:
        """Return the (step, value) pairs of one metric, each step once."""
        return [
            (event.step, event.values[name])
            for event in events.current(self.events()[0])
            if event.kind == "metrics" and name in event.values
        ]

    def samples(self, name: str) -> list[Any]:
        """Return all values that fed one picture."""
        return [
            event.values.get("value")
            for event in events.current(self.events()[0])
            if event.kind == "sample" and event.values.get("name") == name
        ]

    def pause(self) -> None:
        """Ask the worker to stop between two steps and wait."""
        self._must_run("paused")
        self._command("pause")

    def step_once(self) -> None:
        """Ask a paused worker for one more step."""
        self._must_run("stepped")
        if not (self.path / "commands" / "pause").exists():
            raise BadState("Only a paused run can be stepped. Pause it first.")
        self._command("step")

    def stop(self, reason: str = "stopped by the learner") -> None:
        """Ask for the end: a worker finishes its step and saves; a waiting run leaves the line."""
        if self.has_ended:
            raise BadState(f"This run has ended already ({self.status.lower()}).")
        self._command("stop", reason)
        worker = self.worker
        if worker is not None:
            worker.send(signal.SIGTERM)
        wake(runs_of(self.path))

    def resume(self) -> None:
        """Go on: a paused run at once, a stopped or failed one by queueing it again."""
        status = self.status
        if status is RunStatus.RUNNING:
            (self.path / "commands" / "pause").unlink(missing_ok=True)
            return
        if status in _STAYS or self.path.parent.name == CHILDREN:
            raise BadState(_STAYS.get(status, "A child run goes on with its parent: resume that."))
        shutil.rmtree(self.path / "commands", ignore_errors=True)
        events.queue(self.path, "resumed", step=self.step, seconds=self.seconds)
        wake(runs_of(self.path))

    def _must_run(self, done: str) -> None:
        if self.status is not RunStatus.RUNNING:
            raise BadState(f"Only a running run can be {done}; this one is {self.status.lower()}.")

    def _command(self, name: str, text: str = "") -> None:
        folder = self.path / "commands"
        folder.mkdir(exist_ok=True)
        events.replace(folder / name, text.encode())


def _read(place: Path) -> Any:
    """Return what a JSON file holds, None where there is none."""
    try:
        return json.loads(place.read_bytes())
    except (OSError, ValueError):
        return None
