"""From kept weights to ONNX, and the gate: a graph that answers otherwise is refused.

Legend: n tickets, F columns, C causes.
"""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray

from trainer import tables
from trainer.datasets.words import Vocabulary
from trainer.errors import BadState
from trainer.kept import Kept
from trainer.models import TicketClassifier
from trainer.tables import Table
from trainer.travelling import read_weights

LIMIT = 1e-4  # largest difference of a score that may be
BATCHES = (1, 3, 128)  # the last is the largest batch that an endpoint takes
_ROWS = 512
Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What the comparison of the graph with the model measured, over all batch sizes."""

    largest_difference: float
    other_answers: int
    rows: int
    batches: tuple[int, ...] = BATCHES
    limit: float = LIMIT

    @property
    def is_open(self) -> bool:
        """Whether the graph may stand for the model."""
        return self.largest_difference < self.limit and self.other_answers == 0

    def as_dict(self) -> dict[str, Any]:
        """Return what the card keeps."""
        return asdict(self)


def build(weights: bytes, found: Kept, run: str) -> TicketClassifier:
    """Return the kept model, with every name and shape of its weights checked.

    Raises:
        BadSetting: when they are not the weights that the run kept.
    """
    tensors = read_weights(weights, found, run)
    model = TicketClassifier(sizes=found.sizes, num_words=len(found.vocabulary))
    model.load_state_dict(tensors)
    return model.eval()


def examples(desk: Table, found: Kept) -> Floats:
    """Return validation tickets (n, F) of the model's own data set.

    Raises:
        BadState: when the data set has other columns than the model reads.
    """
    rows = tables.cut(desk, by=found.split, seed=found.seed).validation[:_ROWS]
    words = tables.words(desk, rows, Vocabulary(found.vocabulary))
    plain = tables.plain_as(desk, found.columns, rows)
    inputs: Floats = np.concatenate([plain, words], axis=1)
    if inputs.shape[1] != found.sizes[0]:
        raise BadState(
            f"The model reads {found.sizes[0]} columns, its data set has {inputs.shape[1]}. "
            "Nothing was registered; train anew."
        )
    return inputs


def write(model: TicketClassifier, place: Path) -> None:
    """Write the model as one ONNX file: `tickets` (n, F) in, `scores` (n, C) out, any n."""
    example = torch.zeros(2, model.sizes[0])  # an example of one ticket would freeze n at 1
    with _quiet():
        program = torch.onnx.export(
            model,
            (example,),
            dynamo=True,
            dynamic_shapes=({0: torch.export.Dim.DYNAMIC},),
            input_names=["tickets"],
            output_names=["scores"],
            verbose=False,
        )
    assert program is not None
    program.save(str(place), external_data=False)


def compare(model: TicketClassifier, graph: Path, inputs: Floats) -> Gate:
    """Let the model and the graph answer the same tickets at every batch size.

    Raises:
        BadState: when the graph differs; the figures stand in the sentence.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        graph.read_bytes(), options, providers=["CPUExecutionProvider"]
    )
    with torch.no_grad():
        wanted = model(torch.from_numpy(inputs)).numpy()
    largest, others = 0.0, 0
    for size in BATCHES:
        got = np.concatenate(
            [
                session.run(["scores"], {"tickets": inputs[start : start + size]})[0]
                for start in range(0, len(inputs), size)
            ]
        )
        difference = float(np.abs(got - wanted).max())
        largest = max(largest, np.inf if np.isnan(difference) else difference)
        others += int((got.argmax(axis=1) != wanted.argmax(axis=1)).sum())
    gate = Gate(largest_difference=largest, other_answers=others, rows=len(inputs))
    if not gate.is_open:
        raise BadState(
            f"The exported model does not answer as the trained one does: largest difference "
            f"{largest:.1e} (limit {LIMIT:.0e}), {others} other answers in {len(inputs)} tickets "
            f"at batch sizes {', '.join(map(str, BATCHES))}. Nothing was registered."
        )
    return gate


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter's own notes, about libraries we do not use, off the log."""
    registration = logging.getLogger("torch.onnx._internal.exporter._registration")
    before = registration.level
    registration.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        registration.setLevel(before)
