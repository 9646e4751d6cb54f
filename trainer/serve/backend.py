"""What computes: a version's ONNX file by ONNX Runtime, and two models that only show times.

Every backend makes one matrix of a request (`read`, on the event loop), takes a matrix to scores
(`forward`, in the compute thread) and names what they say (`say`, on the event loop again).
"""

import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from trainer.serve.reading import Reading
from trainer.serve.tensors import BYTES, Array, Spec

_ONE_INPUT = "tickets"
_WIDE_INPUTS, _WIDE_LAYERS, _WIDE_OUTPUTS = 64, 4, 10
WIDE_UNITS = 1280  # a layer: 5 million weights, 20 MB, which are read once a batch
_OPSET, _IR_VERSION = 18, 10
_REFUSED = "the ONNX file wants tensors from other files, which is refused"


class Backend(Protocol):
    """A model as the endpoint sees it."""

    platform: str
    about: str
    inputs: tuple[Spec, ...]
    outputs: tuple[Spec, ...]
    example: Array

    def read(self, given: Mapping[str, Array]) -> Array:
        """Return the matrix of a request; raises ValueError with words for the one who asks."""

    def forward(self, feed: Array) -> Array:
        """Return the scores of each row."""

    def say(self, scores: Array) -> dict[str, Array]:
        """Return the outputs of these scores."""


class Matrix:
    """A backend whose request is the matrix itself."""

    inputs: tuple[Spec, ...] = (Spec(_ONE_INPUT, "FP32", (-1, -1)),)
    outputs: tuple[Spec, ...] = (Spec("scores", "FP32", (-1, -1)),)
    example: Array = np.zeros((1, 4), np.float32)

    def read(self, given: Mapping[str, Array]) -> Array:
        """Return the matrix as it came."""
        return given[_ONE_INPUT]

    def say(self, scores: Array) -> dict[str, Array]:
        """Return the scores as they are."""
        return {"scores": scores}


class Timed(Matrix):
    """Takes a + b n milliseconds for n rows and computes nothing; for tests of the queue."""

    platform = "stagecoach_timed"

    def __init__(self, a_ms: float, b_ms: float) -> None:
        """Keep both times."""
        self.about = f"for timing only: sleeps {a_ms:g} + {b_ms:g} n ms for n rows; scores are 0"
        self._a_s, self._b_s = a_ms / 1e3, b_ms / 1e3

    def forward(self, feed: Array) -> Array:
        """Sleep, then return zeros."""
        time.sleep(self._a_s + self._b_s * len(feed))
        return np.zeros((len(feed), 2), np.float32)


class Onnx(Matrix):
    """An ONNX model with one input `tickets` and one output `scores`."""

    platform = "onnxruntime_onnx"

    def __init__(self, content: bytes, threads: int, about: str) -> None:
        """Load from the file's content, so that no other file is ever looked for.

        Raises:
            ValueError: the file is no such model.
        """
        self.about = about
        self._session = _session(content, threads)
        shapes = [one.shape for one in (*self._session.get_inputs(), *self._session.get_outputs())]
        (_, width), (_, count) = shapes
        self.inputs = (Spec(_ONE_INPUT, "FP32", (-1, width)),)
        self.outputs = (Spec("scores", "FP32", (-1, count)),)
        self.example = np.zeros((1, width), np.float32)

    def forward(self, feed: Array) -> Array:
        """Return the scores (N, C)."""
        scores: Array = self._session.run(None, {_ONE_INPUT: feed})[0]
        return scores


class Tickets(Onnx):
    """A learner's model: texts and alarms in, the cause and how sure it is out."""

    ticket_inputs: ClassVar[tuple[Spec, ...]] = (
        Spec("text", BYTES, (-1,)),
        Spec("alarms", BYTES, (-1,), is_optional=True),
        Spec("second", "INT64", (-1,), is_optional=True),
        Spec("month", "INT64", (-1,), is_optional=True),
    )

    def __init__(self, content: bytes, threads: int, reading: Reading) -> None:
        """Load, and check that the model's columns are those of the reading."""
        super().__init__(content, threads, "the cause of a ticket by its words and alarms")
        wanted = (self.inputs[0].shape[1], self.outputs[0].shape[1])
        if wanted != (reading.width, len(reading.causes)):
            raise ValueError("the ONNX file has other columns or causes than config.json")
        self._reading = reading
        self._causes = np.array(reading.causes, object)
        self.inputs = self.ticket_inputs
        self.outputs = (
            Spec("cause", BYTES, (-1,)),
            Spec("probability", "FP32", (-1,)),
            Spec("scores", "FP32", (-1, len(reading.causes))),
        )

    def read(self, given: Mapping[str, Array]) -> Array:
        """Return the columns of the tickets; an empty list of alarms tells nothing of them."""
        alarms, second, month = (given.get(name) for name in ("alarms", "second", "month"))
        return self._reading.columns(
            given["text"].tolist(),
            None if alarms is None else [split_names(names) or None for names in alarms],
            None if second is None else second.tolist(),
            None if month is None else month.tolist(),
        )

    def say(self, scores: Array) -> dict[str, Array]:
        """Return the likeliest cause, its probability, and all scores."""
        best = scores.argmax(axis=1)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = powers.max(axis=1) / powers.sum(axis=1)
        return {"cause": self._causes[best], "probability": shares, "scores": scores}


def split_names(names: str) -> list[str]:
    """Return the names of a comma-separated list."""
    return [name.strip() for name in names.split(",") if name.strip()]


def wide(threads: int, units: int = WIDE_UNITS) -> Onnx:
    """Return a network with random weights, so wide that one row reads megabytes of them."""
    about = f"for timing only: {_WIDE_LAYERS} layers of {units} units with random weights"
    return Onnx(wide_file(units), threads, f"{about}; it knows nothing")


def wide_file(units: int = WIDE_UNITS) -> bytes:
    """Return that network as an ONNX file."""
    sizes = (_WIDE_INPUTS, *[units] * _WIDE_LAYERS, _WIDE_OUTPUTS)
    draw = np.random.default_rng(1337)
    nodes, weights, last = [], [], _ONE_INPUT
    for place, (rows, columns) in enumerate(pairwise(sizes)):
        table = draw.normal(0, rows**-0.5, (rows, columns)).astype(np.float32)
        weights.append(numpy_helper.from_array(table, f"w{place}"))
        is_last = place == _WIDE_LAYERS
        product = "scores" if is_last else f"p{place}"
        nodes.append(helper.make_node("MatMul", [last, f"w{place}"], [product]))
        if not is_last:
            nodes.append(helper.make_node("Relu", [product], [f"r{place}"]))
        last = f"r{place}"
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
        for name, size in ((_ONE_INPUT, _WIDE_INPUTS), ("scores", _WIDE_OUTPUTS))
    ]
    graph = helper.make_graph(nodes, "wide", ends[:1], ends[1:], weights)
    opset = [helper.make_opsetid("", _OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=_IR_VERSION)
    return bytes(model.SerializeToString())


def _session(content: bytes, threads: int) -> Any:
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:  # protobuf's own DecodeError is not exported in one place
        raise ValueError(f"no ONNX file: {error}") from error
    if any(tensor.data_location == TensorProto.EXTERNAL for tensor in _tensors(model)):
        raise ValueError(_REFUSED)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Waiting threads must sleep: the web loop needs the core (onnxruntime#11841).
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = ort.InferenceSession(content, options, ["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises a class of its own for each kind of fault
        raise ValueError(f"ONNX Runtime refuses the file: {error}") from error
    names = [[one.name for one in ends] for ends in (session.get_inputs(), session.get_outputs())]
    if names != [[_ONE_INPUT], ["scores"]]:
        raise ValueError(f"the ONNX file must take `{_ONE_INPUT}` and give `scores`, not {names}")
    return session


def _tensors(message: Any) -> Any:
    """Every tensor of a model, in whatever graph, function or attribute it lies."""
    if isinstance(message, TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for part in [value] if hasattr(value, "ListFields") else value:
            yield from _tensors(part)
