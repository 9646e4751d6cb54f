"""Registers a run in a process of its own, which outlives page and server, and says how far it is.

`start` begins it and returns at once; `progress` reads what it last said.
"""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from trainer import events
from trainer.catalogue import ROOT
from trainer.process import Identity, identity
from trainer.registry.version import model_name
from trainer.runs import RUN_ID, find
from trainer.wake import state_folder

KILLED = (
    "The process that registered this run was ended before it had finished. Nothing half is left; "
    "register it again."
)
_FOLDER = "promoting"
_LIMIT_S = 300
_WAIT_S = 2.0
_children: list["subprocess.Popen[bytes]"] = []


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How a registration stands: `words` say what is being done, or why it failed."""

    state: Literal["running", "done", "failed"]
    words: str = ""
    version: int | None = None
    t: float = 0.0


def start(runs: Path, run_id: str, learner: str) -> Progress:
    """Begin to register a run unless somebody is at it already; returns at once.

    Raises:
        UnknownRun, BadSetting: for a run or a learner that cannot be.
    """
    run = find(runs, run_id)
    model_name(learner)
    _children[:] = [child for child in _children if child.poll() is None]  # collects the ended
    found = progress(runs, run.id)
    if found is not None and found.state == "running":
        return found
    begun = Progress(state="running", words="starting", t=time.time())
    command = [sys.executable, "-m", "trainer.registry", str(runs), run.id, "--learner", learner]
    with (state_folder(runs) / "registry.log").open("ab") as log:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # it waits for the end of it, so it speaks after `begun`
            stdout=log,
            stderr=log,
            cwd=ROOT,
            env={"OMP_WAIT_POLICY": "PASSIVE"} | os.environ | {"OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
    _children.append(child)
    assert child.stdin
    tell(runs, run.id, begun, identity(child.pid))
    child.stdin.close()
    return begun


def progress(runs: Path, run_id: str) -> Progress | None:
    """Return how the last registration of a run stands, None where there was none."""
    found = _read(_place(runs, run_id)) if RUN_ID.fullmatch(run_id) else None
    if found is None:
        return None
    told, process = found
    if told.state == "running" and not process.is_alive:
        again = _read(_place(runs, run_id))  # its last word may have come between the two looks
        if again and again[0].state != "running":
            return again[0]
        return Progress(state="failed", words=KILLED, t=told.t)
    return told


def tell(runs: Path, run_id: str, said: Progress, process: Identity) -> None:
    """Write how it stands, and who does it."""
    place = _place(runs, run_id)
    place.parent.mkdir(exist_ok=True)
    events.replace(place, json.dumps(asdict(said) | {"process": process.as_dict()}).encode())


def end(runs: Path) -> None:
    """End every process that registers a run of this folder; nothing half is left of it."""
    alive = [process for _, process in _all(runs) if process.is_alive]
    for process in alive:
        process.send(signal.SIGKILL, group=True)
    deadline = time.monotonic() + _WAIT_S
    while any(process.is_alive for process in alive) and time.monotonic() < deadline:
        time.sleep(0.01)
    _children[:] = [child for child in _children if child.poll() is None]


def limit() -> None:
    """End this process by force should it hang."""
    signal.alarm(_LIMIT_S)


def _all(runs: Path) -> list[tuple[Progress, Identity]]:
    found = map(_read, (state_folder(runs) / _FOLDER).glob("*.json"))
    return [each for each in found if each]


def _place(runs: Path, run_id: str) -> Path:
    return state_folder(runs) / _FOLDER / f"{run_id}.json"


def _read(place: Path) -> tuple[Progress, Identity] | None:
    try:
        values = json.loads(place.read_bytes())
        who = values.pop("process")
        process = Identity(who["host"], who["boot_id"], int(who["pid"]), float(who["started"]))
        return Progress(**values), process
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
