"""The ninety-second tour as its journal tells it: what a page shows of it, and how one is begun.

A tour leads one small job through all stages. A process of its own takes it from leg to leg (see
`labs/ninety.py`) and writes a journal; everybody else reads that.
"""

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import orjson

from trainer import events
from trainer.catalogue import ROOT
from trainer.errors import BadState, UnknownRun
from trainer.process import Identity, identity

COMMAND = (sys.executable, "-m", "labs", "ninety")  # passed on as data: the engine knows no lab
TOUR_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{4}")
FOLDER = "tours"
_SHOWS_WITHIN_S = 10.0  # a leader that was asked for has to load Python first

State = Literal["waiting", "running", "done", "failed"]


@dataclass(frozen=True, kw_only=True)
class Leg:
    """One part of the way: `figure` is its own measured value, `text` says it in a sentence.

    A leg that failed says why in `text`; `run` is the run that it made or stands on.
    """

    name: str
    stage: str
    title: str
    state: State = "waiting"
    run: str | None = None
    figure: str = ""
    origin: str = "M"
    text: str = ""
    seconds: float = 0.0


LEGS = (
    Leg(name="tickets", stage="data", title="Make the tickets"),
    Leg(name="split", stage="data", title="Split them, and see what a split is worth"),
    Leg(name="train", stage="training", title="Train the model"),
    Leg(name="spread", stage="networking", title="Train it on two workers"),
    Leg(name="trace", stage="software", title="Look into one step"),
    Leg(name="mend", stage="operations", title="Kill the training, and resume it"),
    Leg(name="register", stage="serving", title="Register the model"),
    Leg(name="serve", stage="serving", title="Serve it"),
    Leg(name="answer", stage="serving", title="Let it answer a ticket"),
)


@dataclass(frozen=True)
class Tour:
    """One tour; everything but `path` is read from its journal when asked for."""

    path: Path

    @property
    def id(self) -> str:
        """The journal's name."""
        return self.path.stem

    @property
    def learner(self) -> str:
        """Whose tour it is."""
        return str(self._begun.get("learner", ""))

    @property
    def seconds(self) -> float:
        """Seconds from its beginning to its last word, or to now while it goes on."""
        lines = self._lines()
        last = time.time() if self.is_moving else float(lines[-1]["t"]) if lines else 0.0
        return last - float(self._begun.get("t", last))

    @property
    def legs(self) -> list[Leg]:
        """All legs with their present state; a leg whose leader was killed has failed."""
        told = {leg.name: leg for leg in LEGS}
        for line in self._lines():
            if line["kind"] == "leg" and line["leg"]["name"] in told:
                told[line["leg"]["name"]] = Leg(**line["leg"])
        found = list(told.values())
        return found if self.is_moving else [_broken_off(leg) for leg in found]

    @property
    def is_moving(self) -> bool:
        """Whether its leader is on the way, or was asked for a moment ago."""
        if any(line["kind"] == "ended" for line in self._lines()):
            return False
        leader = Identity.read(self.leader_file)
        if leader is None:
            return time.time() - float(self._begun.get("t", 0.0)) < _SHOWS_WITHIN_S
        return leader.is_alive

    @property
    def is_done(self) -> bool:
        """Whether every leg has come to its end."""
        return all(leg.state == "done" for leg in self.legs)

    @property
    def leader_file(self) -> Path:
        """Where the leading process writes who it is."""
        return self.path.with_suffix(".leader.json")

    def lead(self) -> None:
        """Say that this process leads the tour from here on."""
        identity().write(self.leader_file)

    def say(self, leg: Leg) -> None:
        """Write how a leg stands now."""
        self._write({"kind": "leg", "leg": asdict(leg)})

    def end(self) -> None:
        """Say the last word."""
        self._write({"kind": "ended"})

    def _write(self, line: dict[str, Any]) -> None:
        events.append(self.path, orjson.dumps({"t": time.time()} | line) + b"\n")

    @property
    def _begun(self) -> dict[str, Any]:
        lines = self._lines()
        return lines[0] if lines and lines[0]["kind"] == "begun" else {}

    def _lines(self) -> list[dict[str, Any]]:
        try:
            whole = self.path.read_bytes().rpartition(b"\n")[0].splitlines()
            return [line for line in map(orjson.loads, whole) if "kind" in line and "t" in line]
        except (OSError, ValueError, TypeError):
            return []


def begin(runs: Path, learner: str) -> Tour:
    """Make the journal of a new tour; nobody leads it yet.

    Raises:
        BadState: while another tour of this learner is on its way.
    """
    going = newest(runs, learner)
    if going is not None and going.is_moving:
        raise BadState("Your tour is on its way already; let it come to its end.")
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = runs / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    tour = Tour(folder / f"{stamp}-{secrets.token_hex(2)}.jsonl")
    begun = {"kind": "begun", "t": time.time(), "learner": learner}
    events.append(tour.path, orjson.dumps(begun) + b"\n", durable=True)
    return tour


def start(runs: Path, learner: str) -> Tour:
    """Begin a tour led by a process of its own, which outlives the page; returns at once.

    Raises:
        BadState: while another tour of this learner is on its way.
    """
    tour = begin(runs, learner)
    with tour.path.with_suffix(".log").open("ab") as log:
        subprocess.Popen(
            [*COMMAND, "--tour", tour.id],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=ROOT,
            env=os.environ | {"STAGECOACH_RUNS": str(runs)},
            start_new_session=True,
        )
    return tour


def find(runs: Path, tour_id: str) -> Tour:
    """Return the tour of that name.

    Raises:
        UnknownRun: for anything that is no tour in this folder.
    """
    path = runs / FOLDER / f"{tour_id}.jsonl"
    if not TOUR_ID.fullmatch(tour_id) or not path.is_file():
        raise UnknownRun(f"There is no tour {tour_id[:80]!r} here.")
    return Tour(path)


def newest(runs: Path, learner: str) -> Tour | None:
    """Return a learner's last tour, None before the first."""
    names = sorted((runs / FOLDER).glob("*.jsonl"), reverse=True)
    tours = (Tour(path) for path in names if TOUR_ID.fullmatch(path.stem))
    return next((tour for tour in tours if tour.learner == learner), None)


def end_leaders(runs: Path) -> None:
    """End every leading process; the runs they wait for are the dispatcher's."""
    for place in (runs / FOLDER).glob("*.leader.json"):
        leader = Identity.read(place)
        if leader is not None and leader != identity():
            leader.send(signal.SIGTERM)


def _broken_off(leg: Leg) -> Leg:
    if leg.state != "running":
        return leg
    why = "The process that led the tour has ended. What it had begun is kept; start again."
    return replace(leg, state="failed", text=why)


def summary(tour: Tour) -> dict[str, Any]:
    """Return the tour as scripts get it."""
    told = {"id": tour.id, "learner": tour.learner, "seconds": round(tour.seconds, 1)}
    return told | {"is_done": tour.is_done, "legs": [asdict(leg) for leg in tour.legs]}
