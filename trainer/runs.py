"""A run is a folder: this is how everybody but its worker reads one, lists them, and asks for things."""

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Self

from trainer import events, record
from trainer.errors import BadState, UnknownRun
from trainer.events import Event
from trainer.process import Identity
from trainer.record import Record
from trainer.wake import wake

RUN_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[a-z0-9_]{1,40}-[0-9a-f]{4}")
LAB_ID = re.compile(r"[a-z0-9_]{1,40}")
_LOG_TAIL = 4_000  # bytes of worker.log that explain a failure


class RunStatus(StrEnum):
    """MLflow's five words; *paused* is a property of a running run."""

    SCHEDULED = "SCHEDULED"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    KILLED = "KILLED"


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """What was asked for; written once into `config.json`."""

    lab: str
    preset: str = "cpu"
    settings: dict[str, Any] = field(default_factory=dict)
    seed: int = 1337
    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: int = 1
    learner: str = "local"
    prediction: Any = None
    confidence: str | None = None
    data: str | None = None
    parent: str | None = None
    time_limit_s: float = 3600.0

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON-able values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Build from what `as_dict` gave; names of a later version are left out."""
        known = {entry.name for entry in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


@dataclass(frozen=True)
class Finding:
    """The one figure a lab is about, with its sentence."""

    name: str
    value: float
    text: str


@dataclass(frozen=True)
class Run:
    """One run folder; everything but `path` is worked out from its files each time it is asked for."""

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
        try:
            return Identity.from_dict(json.loads((self.path / "worker.json").read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def is_alive(self) -> bool:
        """Whether the worker lives; one on another host is believed, only its own host may judge it by pid."""
        worker = self.worker
        return worker is not None and (worker.is_alive or not worker.is_here)

    @property
    def status(self) -> RunStatus:
        """The truth as the files and the process tell it."""
        life = self.record.life
        if life is None or life.kind == "queued":
            return RunStatus.SCHEDULED
        if life.kind == "ended":
            return RunStatus(life.values["status"])
        if self.is_alive:
            return RunStatus.RUNNING
        # The worker may have ended between the two looks: its last word counts.
        again = self.record.life
        ended = again is not None and again.kind == "ended"
        return RunStatus(again.values["status"]) if again and ended else RunStatus.FAILED

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
        return Finding(**found) if found else None

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
        try:
            notes = json.loads((self.path / "notes.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return notes if isinstance(notes, dict) else {}

    def note(self, **values: Any) -> None:
        """Keep answers and the learner's own finding with the run."""
        events.replace(self.path / "notes.json", json.dumps(self.notes | values).encode())

    def artifact(self, name: str) -> Any:
        """Return a JSON artifact of the run, or None where there is none."""
        try:
            return json.loads((self.path / "artifacts" / f"{name}.json").read_bytes())
        except (OSError, ValueError):
            return None

    def events(self, offset: int = 0) -> tuple[list[Event], int]:
        """Return the events after `offset` and the offset behind them, resumes not yet applied."""
        return events.read(self.path / events.FILE, offset)

    def metric(self, name: str) -> list[tuple[int, float]]:
        """Return the (step, value) pairs of one metric, each step once."""
        standing = events.current(self.events()[0])
        return [
            (event.step, event.values[name])
            for event in standing
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
        """Ask for the end: a running worker finishes its step and writes a checkpoint, a waiting run leaves the line."""
        if self.has_ended:
            raise BadState(f"This run has ended already ({self.status.lower()}).")
        self._command("stop", reason)
        worker = self.worker
        if worker is not None:
            worker.send(signal.SIGTERM)
        wake(self.path.parent)

    def resume(self) -> None:
        """Go on: a paused run at once, a stopped or failed one by queueing it again in the same folder."""
        if self.status is RunStatus.FINISHED:
            raise BadState("This run has finished; there is nothing to resume.")
        if self.status is RunStatus.SCHEDULED:
            raise BadState("This run waits in line already.")
        if self.status is RunStatus.RUNNING:
            (self.path / "commands" / "pause").unlink(missing_ok=True)
            return
        shutil.rmtree(self.path / "commands", ignore_errors=True)
        queue(self.path, "resumed", step=self.step, seconds=self.seconds)
        wake(self.path.parent)

    def _must_run(self, done: str) -> None:
        if self.status is not RunStatus.RUNNING:
            raise BadState(f"Only a running run can be {done}; this one is {self.status.lower()}.")

    def _command(self, name: str, text: str = "") -> None:
        folder = self.path / "commands"
        folder.mkdir(exist_ok=True)
        events.replace(folder / name, text.encode())


def runs_folder() -> Path:
    """Return the runs folder that STAGECOACH_RUNS names, `./runs` by default; made on first use."""
    folder = Path(os.environ.get("STAGECOACH_RUNS") or "runs").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def queue(path: Path, reason: str, *, step: int = 0, seconds: float = 0.0) -> None:
    """Append `queued`: whoever calls this knows that no worker lives."""
    event = Event(
        kind="queued", t=time.time(), step=step, seconds=seconds, values={"reason": reason}
    )
    events.append(path / events.FILE, event.line(), durable=True)


def create(runs: Path, config: RunConfig) -> Run:
    """Write a new run folder, SCHEDULED, in one piece: nobody ever sees half of it."""
    if not LAB_ID.fullmatch(config.lab):
        raise UnknownRun(f"There is no lab {config.lab!r}.")
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    name = f"{stamp}-{config.lab}-{secrets.token_hex(2)}"
    hidden = runs / f".new-{name}"
    for part in ("commands", "checkpoints", "artifacts"):
        (hidden / part).mkdir(parents=True)
    events.replace(hidden / "config.json", json.dumps(config.as_dict(), indent=2).encode())
    queue(hidden, "submitted")
    try:
        hidden.rename(runs / name)
    except OSError:  # the one name in 65,536 that somebody took in the same second
        shutil.rmtree(hidden)
        return create(runs, config)
    events.sync_folder(runs)
    wake(runs)
    return Run(runs / name)


def find(runs: Path, run_id: str) -> Run:
    """Return the run of that name.

    Raises:
        UnknownRun: for anything that is no run in this folder, paths and foreign files included.
    """
    path = runs / str(run_id)
    if not RUN_ID.fullmatch(str(run_id)) or not _is_run(path):
        raise UnknownRun(f"There is no run {str(run_id)[:80]!r} here.")
    return Run(path)


def list_runs(
    runs: Path, *, lab: str | None = None, learner: str | None = None, limit: int | None = None
) -> list[Run]:
    """Return the runs, newest first; files and folders that are no runs are left alone."""
    found: list[Run] = []
    for run in _newest_first(runs):
        if limit is not None and len(found) >= limit:
            break
        config = run.config
        if lab in (None, config.lab) and learner in (None, config.learner):
            found.append(run)
    return found


def _newest_first(runs: Path) -> Iterator[Run]:
    with contextlib.suppress(FileNotFoundError):
        for name in sorted(os.listdir(runs), reverse=True):
            if RUN_ID.fullmatch(name) and _is_run(runs / name):
                yield Run(runs / name)


def _is_run(path: Path) -> bool:
    try:
        RunConfig.from_dict(json.loads((path / "config.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return False
    return (path / events.FILE).is_file()
