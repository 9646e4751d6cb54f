"""A stand-in for the worker: appends events to a run folder, from a process of its own."""

import argparse
import json
import math
import os
import random
import time
from pathlib import Path

from trainer import events
from trainer.events import Event
from trainer.process import identity

PER_EPOCH = 10


def losses(epoch: float) -> dict[str, float]:
    """Return what a model that overfits after about 22 epochs would log."""
    rise = 0.0068 * max(0.0, epoch - 16) ** 1.06
    values = {"train/loss": 0.2 + 1.62 * math.exp(-epoch / 15) + random.gauss(0, 0.03)}
    if epoch == int(epoch):
        values["val/loss"] = 0.46 + 1.4 * math.exp(-epoch / 8.5) + rise + random.gauss(0, 0.011)
    return values


class Writer:
    """Writes one run; every call appends whole lines."""

    def __init__(self, folder: Path, pid: int | None = None) -> None:
        self.folder, self.pid = folder, pid or os.getpid()

    def event(self, kind: events.Kind, step: int = 0, **values: object) -> bytes:
        return Event(kind=kind, t=time.time(), step=step, seconds=step * 0.03, values=values).line()

    def append(self, *lines: bytes) -> None:
        events.append(self.folder / events.FILE, b"".join(lines))

    def queue(self) -> None:
        self.folder.mkdir(parents=True)
        (self.folder / "config.json").write_text(json.dumps({"lab": "four_brakes"}))
        self.append(self.event("queued", reason="submitted"))

    def start(self, steps: int, resumed_from: int | None = None) -> None:
        (self.folder / "worker.json").write_text(json.dumps(identity(self.pid).as_dict()))
        plan = {"steps": steps, "steps_per_epoch": PER_EPOCH, "examples_per_step": 32, "arms": {}}
        first = self.event("started", pid=self.pid, device="cpu")
        if resumed_from is not None:
            first = self.event("resumed", resumed_from, from_step=resumed_from, device="cpu")
        self.append(first, self.event("sample", resumed_from or 0, name="plan", value=plan))

    def train(self, first: int, last: int) -> None:
        lines = [
            self.event("metrics", step, **losses(step / PER_EPOCH))
            for step in range(first, last + 1)
        ]
        self.append(*lines)

    def end(self, status: str, step: int, reason: str = "", error: str | None = None) -> None:
        self.append(self.event("ended", step, status=status, reason=reason, error=error))


def main() -> None:
    """Start or resume the run, train at a steady pace, then end it or wait to be killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--upto", type=int, default=800)
    parser.add_argument("--rate", type=int, default=100, help="steps a second")
    parser.add_argument("--resume", type=int)
    parser.add_argument("--end", default="FINISHED")
    asked = parser.parse_args()
    writer = Writer(asked.folder)
    writer.start(asked.steps, asked.resume)
    step, pace = asked.resume or 0, max(1, asked.rate // 10)
    while step < asked.upto:
        writer.train(step + 1, min(step + pace, asked.upto))
        step = min(step + pace, asked.upto)
        time.sleep(0.1)
    if asked.end:
        writer.end(asked.end, step)
    else:
        time.sleep(3600)


if __name__ == "__main__":
    main()
