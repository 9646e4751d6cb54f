"""Writes what the engine would write: a catalogue, a data set, and runs in every state."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from trainer import catalogue, events
from trainer import runs as folder
from trainer.catalogue import LabInfo
from trainer.events import Event
from trainer.process import identity
from trainer.runs import Run, RunConfig
from trainer.setting import SettingInfo

EPOCHS, PER_EPOCH = 40, 4
TURN = 12
_living: list["subprocess.Popen[bytes]"] = []
SAMPLES = {
    "four_brakes": {"turn_epoch": TURN, "best_brake": ["dropout"], "rise_after_turn": 0.31},
    "split_trap": {},
}


def number(name: str, default: float, low: float, high: float, **more: Any) -> SettingInfo:
    return SettingInfo(
        name=name,
        kind="number",
        default=default,
        label=name.replace("_", " ").capitalize(),
        help="A help text.",
        low=low,
        high=high,
        integer=isinstance(default, int),
        **more,
    )


def infos() -> list[LabInfo]:
    """Two labs with the ids of the real ones, so that their lessons fit."""
    common: dict[str, Any] = {"minutes": 1, "presets": {"cpu": {}, "gpu": {"rows": 800}}}
    brakes = (
        number("rows", 200, 200, 800, step=50, unit="tickets"),
        number("epochs", EPOCHS, 10, 100, step=1),
        SettingInfo(
            name="brake",
            kind="choice",
            default="none",
            label="Brake",
            help="Which brake.",
            options={"none": "none", "dropout": "dropout"},
        ),
        number("learning_rate", 0.01, 1e-5, 1.0, scale="log", advanced=True),
    )
    words = SettingInfo(name="words", kind="toggle", default=False, label="Words", help="Add them.")
    trap = (number("rows", 6000, 1000, 8000, step=500), words)
    return [
        LabInfo(
            id="split_trap", stage="data", number="1.3", title="Split trap", settings=trap,
            file="labs/split_trap.py", source="# region train\nx = 1\n# endregion\n", **common,
        ),
        LabInfo(
            id="four_brakes", stage="training", number="2.5", title="Four brakes",
            settings=brakes, file="labs/four_brakes.py",
            source="# region loop\nfor step in fit():\n    pass\n# endregion\n", **common,
        ),
    ]  # fmt: skip


def write_catalogue(runs: Path) -> None:
    catalogue.write(runs, infos())


def write_data(runs: Path) -> None:
    """A data set of two tickets, as far as pages read it."""
    made = runs / "data" / "0123456789ab"
    made.mkdir(parents=True)
    (made / "card.json").write_text(json.dumps({"counts": {"tickets": 2}, "synthetic": True}))
    text = "Link to the tower lost <b>at night</b>. Receive level fell within a second. " * 2
    rows = [
        {"ticket_id": f"INC{n}", "opened_at": "2024-05-06T02:13:00", "text": text} for n in (1, 2)
    ]
    (made / "tickets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_run(runs: Path, state: str, lab: str = "four_brakes", **config: Any) -> Run:
    """One run in the given state, written event by event."""
    said = {"turn": 30, "brake": "dropout"} if lab == "four_brakes" else 0.7
    told = {"prediction": said, "confidence": "fairly"} | config
    run = folder.create(runs, RunConfig(lab=lab, settings={"rows": 200}, **told))
    if state in ("running", "paused"):
        _sign(run, _a_process(ends=False))
    elif state != "queue":
        _sign(run, _a_process(ends=True))
    if state == "queue":
        return run
    _write(run, "started", {"pid": 1, "device": "cpu", "device_name": "CPU"})
    done = EPOCHS if state == "finished" else EPOCHS // 2
    _curve(run, done)
    if state == "paused":
        _write(run, "sample", {"name": "paused", "value": True}, done * PER_EPOCH)
    if state == "stopped":
        _checkpoint(run)
        _end(run, "KILLED", "stopped by the learner")
    if state == "killed":
        _checkpoint(run)
        (run.path / "worker.log").write_text("the last line of the log\n")
    if state == "finished":
        _finish(run)
    return run


def _finish(run: Run) -> None:
    for name, value in SAMPLES[run.config.lab].items():
        _write(run, "sample", {"name": name, "value": value}, EPOCHS * PER_EPOCH)
    found = {"name": "rise_after_turn", "value": 0.31, "text": "Validation loss rose by 0.31 nats."}
    _write(run, "finding", found, EPOCHS * PER_EPOCH)
    _end(run, "FINISHED", "done")


def _curve(run: Run, epochs: int) -> None:
    plan = {"steps": EPOCHS * PER_EPOCH, "steps_per_epoch": PER_EPOCH, "examples_per_step": 50}
    _write(run, "sample", {"name": "plan", "value": plan | {"arms": {}}})
    for epoch in range(1, epochs + 1):
        rise = 0.02 * max(epoch - TURN, 0)
        values = {
            "train/loss": 2.2 / epoch**0.7,
            "val/loss": 0.6 + 1.6 / epoch + rise,
            "val/accuracy": 0.8 - 0.5 / epoch,
        }
        _write(run, "metrics", values, epoch * PER_EPOCH)


def _checkpoint(run: Run) -> None:
    (run.path / "checkpoints" / "80.json").write_text("{}")


def _end(run: Run, status: str, reason: str) -> None:
    values = {"status": status, "reason": reason, "error": None, "surprise": None}
    _write(run, "ended", values, EPOCHS * PER_EPOCH)


def _write(run: Run, kind: Any, values: dict[str, Any], step: int = 0) -> None:
    event = Event(kind=kind, t=time.time(), step=step, seconds=step / 8, values=values)
    events.append(run.path / events.FILE, event.line())


def _sign(run: Run, worker: dict[str, Any]) -> None:
    (run.path / "worker.json").write_text(json.dumps(worker))


def _a_process(*, ends: bool) -> dict[str, Any]:
    """The identity of a process that stands for a worker: one that lives, or one that has ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    found = identity(process.pid).as_dict()
    if ends:
        process.communicate()
    else:
        _living.append(process)
    return found


def end_workers() -> None:
    """End what stands for living workers."""
    while _living:
        process = _living.pop()
        process.kill()
        process.communicate()
