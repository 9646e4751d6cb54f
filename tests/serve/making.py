"""What the endpoint's tests share: a model of tickets as ONNX, version folders, plain requests."""

import hashlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import numpy_helper

from trainer import events

NAME = "alarm-desk.local"
DEADLINE_S = 60.0
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Made(NamedTuple):
    """A model's ONNX file and its config."""

    onnx: bytes
    config: dict[str, Any]


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: Any


def put(runs: Path, number: int, made: Made, name: str = NAME) -> Path:
    """A version as the registry writes it."""
    folder = runs / "models" / name / str(number)
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(made.onnx)
    (folder / "config.json").write_text(json.dumps(made.config))
    card = {"files": {"model.onnx": hashlib.sha256(made.onnx).hexdigest()}}
    (folder / "card.json").write_text(json.dumps(card))
    return folder


def crown(runs: Path, number: int, name: str = NAME) -> None:
    events.replace(runs / "models" / name / "champion", f"{number}\n".encode())


def other_weights(made: Made) -> Made:
    """The same network with other weights: it gives other scores."""
    model = onnx.load_model_from_string(made.onnx)
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32:
            tensor.CopyFrom(numpy_helper.from_array(-2 * values, tensor.name))
    return Made(model.SerializeToString(), made.config)


def text_body(*texts: str, **more: Any) -> dict[str, Any]:
    data = {"name": "text", "shape": [len(texts)], "datatype": "BYTES", "data": list(texts)}
    return {"inputs": [data]} | more


def matrix_body(rows: int = 1, columns: int = 4, value: float = 1.0, **more: Any) -> dict[str, Any]:
    data = [value] * (rows * columns)
    entry = {"name": "tickets", "shape": [rows, columns], "datatype": "FP32", "data": data}
    return {"inputs": [entry]} | more


def call(address: str, body: Any = None, **headers: str) -> Reply:
    """One request; a body that is no bytes is sent as JSON."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(address, data, headers)
    try:
        with _direct.open(request, timeout=DEADLINE_S) as reply:
            return _reply(reply.status, reply.headers, reply.read())
    except urllib.error.HTTPError as error:
        with error:
            return _reply(error.code, error.headers, error.read())


def wait(condition: Callable[[], Any], what: str, seconds: float = DEADLINE_S) -> Any:
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain until {what}"
        time.sleep(0.01)
    return result


def _reply(status: int, headers: Any, body: bytes) -> Reply:
    is_json = headers.get("content-type") == "application/json"
    told = {name.lower(): value for name, value in headers.items()}
    return Reply(status, told, json.loads(body) if is_json and body else body)
