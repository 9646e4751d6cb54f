"""A run's own shelf of versions for its private endpoint, copied or exported; needs PyTorch."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import save
from torch import Tensor

from trainer import events, registry
from trainer.models import TicketClassifier
from trainer.registry.version import CARD, CONFIG, GRAPH, WEIGHTS, model_name
from trainer.serve import private
from trainer.travelling import Journey, Sets
from trainer.worker import ActiveRun

ROWS = 256  # of the tickets that the exported file must answer as the model does
REQUESTS = 64
WIDE = 64  # numbers a row of the wide model
_ORIGIN = "origin"


class Shelf:
    """The versions of one run; what serves first is decided once and kept over a resume."""

    def __init__(self, run: ActiveRun, journey: Journey) -> None:
        """Put the champion on it, else the parent's model; else it waits for a first version."""
        self.folder, self.journey = run.path / "private", journey
        self.model = model_name(run.config.learner)
        self._folder = private.model_folder(self.folder, self.model)
        self._folder.mkdir(parents=True, exist_ok=True)
        champion = registry.champion(run.runs, run.config.learner)
        usual = "champion" if champion else "parent" if journey.parent else "first"
        self.origin = self._decide(usual)
        self.number = champion.number if champion else 1
        if self.origin == "champion" and self.crowned is None:
            assert champion
            private.copy_in(self.folder, champion)
        elif self.origin == "parent" and self.crowned is None:
            self.put(1, journey.model())
            self.crown(1)
        self.number = self._first()

    @property
    def crowned(self) -> int | None:
        """The version that answers, None before there is one."""
        return private.crowned(self.folder, self.model)

    @property
    def next_number(self) -> int:
        """The number of the version that this run makes."""
        return self.number + 1

    def put(self, number: int, network: TicketClassifier) -> None:
        """Export a copy of a model as a version, through the registry's gate; crowns nothing.

        Raises:
            BadState: if the exported file answers otherwise than the model.
        """
        # Late: ONNX Runtime starts threads when it loads, and labs are loaded where workers fork.
        from trainer.registry import export

        place = self._folder / str(number)
        if place.exists():  # made before a resume
            shutil.rmtree(place)
        aside = self._folder / f".making-{number}"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        tensors = {name: tensor.cpu() for name, tensor in network.state_dict().items()}
        twin = TicketClassifier(sizes=network.sizes, num_words=network.num_words).eval()
        twin.load_state_dict(tensors)
        (aside / WEIGHTS).write_bytes(save(tensors))
        (aside / CONFIG).write_text(json.dumps(self.journey.config))
        export.write(twin, aside / GRAPH)
        inputs = self.journey.sets.validation[0][:ROWS].cpu().numpy().astype(np.float32)
        gate = export.compare(twin, aside / GRAPH, inputs)
        files = {name: _hash(aside / name) for name in (WEIGHTS, CONFIG, GRAPH)}
        (aside / CARD).write_text(json.dumps({"version": number, "files": files} | gate.as_dict()))
        aside.rename(place)

    def crown(self, number: int) -> None:
        """Let a version answer from now on."""
        private.crown(self.folder, self.model, number)

    def network(self, weights: dict[str, Tensor] | None = None) -> TicketClassifier:
        """A model with these weights, else the parent's, else a fresh one."""
        model = self.journey.model()
        if weights is not None:
            model.load_state_dict(weights)
        return model

    def requests(self, rows: int, *, is_wide: bool = False) -> Path:
        """Write requests of `rows` test tickets each, as the load generator sends them."""
        place = self.folder / ("wide.json" if is_wide else "requests.json")
        tickets = _wide(rows) if is_wide else _tickets(self.journey.sets, rows)
        place.write_text(json.dumps(tickets))
        return place

    def _decide(self, usual: str) -> str:
        place = self.folder / _ORIGIN
        if not place.exists():
            events.replace(place, usual.encode())
        return place.read_text()

    def _first(self) -> int:
        """The version that answered first, also after the swap of an earlier life."""
        place = self.folder / f"{_ORIGIN}-version"
        if not place.exists():
            events.replace(place, str(self.crowned or 1).encode())
        return int(place.read_text())


def _tickets(sets: Sets, rows: int) -> list[dict[str, Any]]:
    chosen = [str(sets.desk.texts[row]) for row in sets.test_rows[: REQUESTS * rows]]
    return [
        {
            "inputs": [
                {
                    "name": "text",
                    "datatype": "BYTES",
                    "shape": [rows],
                    "data": [chosen[(at * rows + i) % len(chosen)] for i in range(rows)],
                }
            ],
            "outputs": [{"name": "cause"}],
        }
        for at in range(REQUESTS)
    ]


def _wide(rows: int) -> list[dict[str, Any]]:
    drawn = np.random.default_rng(1337).normal(size=(REQUESTS, rows * WIDE)).round(3)
    shape = [rows, WIDE]
    tensors = [
        {"name": "tickets", "datatype": "FP32", "shape": shape, "data": row.tolist()}
        for row in drawn
    ]
    return [{"inputs": [tensor]} for tensor in tensors]


def _hash(place: Path) -> str:
    return hashlib.sha256(place.read_bytes()).hexdigest()
