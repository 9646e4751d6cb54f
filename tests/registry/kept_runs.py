"""A runs folder with a small data set and finished runs that kept an untrained model."""

import hashlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import torch
from safetensors.torch import save

from trainer import events, runs, travelling
from trainer.datasets import Dials, load, prepare
from trainer.events import Event
from trainer.models import TicketClassifier
from trainer.run import Run
from trainer.run_config import RunConfig
from trainer.sets import Sets

DIALS = Dials(tickets=600, devices=110)
ACCURACY = 0.625
WIDTH = 8
Write = Callable[[TicketClassifier, Path], None]


def sets(folder: Path) -> Sets:
    return Sets.of(load(prepare(folder, DIALS)), 100, 1, torch.device("cpu"))


def finished(folder: Path, data: Sets, seed: int, **config: Any) -> Run:
    """A run whose worker has kept a model and said its last word."""
    run = runs.create(folder, RunConfig(**({"lab": "four_brakes", "seed": seed} | config)))
    torch.manual_seed(seed)
    sizes = (data.train[0].shape[1], WIDTH, WIDTH, len(data.desk.causes))
    model = TicketClassifier(sizes=sizes, num_words=len(data.vocabulary))
    keep(run, model, data)
    say(run, "started", {"pid": 1, "device": "cpu"})
    say(run, "metrics", {"train/loss": 1.5, "test/accuracy": ACCURACY}, step=10)
    say(run, "ended", {"status": "FINISHED", "reason": "finished", "error": None}, step=10)
    return run


def keep(run: Run, model: TicketClassifier, data: Sets) -> None:
    """What a worker does to keep a model, without a worker."""

    def put(name: str, content: bytes | str) -> None:
        body = content.encode() if isinstance(content, str) else content
        (run.path / "artifacts" / name).write_bytes(body)

    active = SimpleNamespace(save=put, config=run.config)
    travelling.keep(cast(Any, active), model, data, {"arm": "none"})


def say(run: Run, kind: Any, values: dict[str, Any], *, step: int = 0) -> None:
    event = Event(kind=kind, t=time.time(), step=step, seconds=step / 10, values=values)
    events.append(run.path / events.FILE, event.line())


def writing_once(write: Write, cache: Path) -> Write:
    """The exporter, which takes seconds, with its files kept by the hash of the weights."""

    def copy_or_write(model: TicketClassifier, place: Path) -> None:
        kept = cache / hashlib.sha256(save(model.state_dict())).hexdigest()
        if not kept.exists():
            write(model, kept)
        shutil.copyfile(kept, place)

    return copy_or_write
