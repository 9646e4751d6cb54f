"""The Open Inference Protocol's requests and answers as bytes; knows no server and no model.

Both forms are read and written: JSON, and the binary extension, in which tensors follow the JSON,
whose length a header then tells.

Source: https://kserve.github.io/website/docs/concepts/architecture/data-plane/v2-protocol and
Triton's extension_binary_data.md, read on 2026-11-30.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from trainer.serve import tensors
from trainer.serve.tensors import Array, Spec

HEADER = "Inference-Header-Content-Length"
_MOST_TENSORS = 16
_MOST_WORDS = 400


class Refused(Exception):  # noqa: N818 - reads better at a raise
    """A request that is not answered; becomes `{"error": why}` with this status."""

    def __init__(self, status: int, why: str, *, retry_after_s: int | None = None) -> None:
        """Keep the status and after how many seconds another try may succeed."""
        super().__init__(why)
        self.status = status
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class Call:
    """A request as it was read; `asked` says which outputs are wanted, and which of them binary."""

    inputs: dict[str, Array]
    rows: int
    id: str | None = None
    timeout_s: float | None = None
    is_binary: bool = False
    asked: dict[str, bool | None] = field(default_factory=dict)


def read(
    body: bytes, head_length: str | None, inputs: Sequence[Spec], outputs: Sequence[Spec]
) -> Call:
    """Return the call that a body holds; `head_length` is the header of the binary extension.

    Raises:
        Refused: 400, with what is wrong in words.
    """
    try:
        end = len(body) if head_length is None else tensors.size(int(head_length), len(body))
        request = _mapping(orjson.loads(body[:end]), "the request")
        call = _call(request, body[end:], inputs)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise Refused(400, f"bad request: {reason}"[:_MOST_WORDS]) from error
    unknown = call.asked.keys() - {spec.name for spec in outputs}
    if unknown:
        raise Refused(400, f"bad request: there is no output {min(unknown)!r}"[:_MOST_WORDS])
    return call


def write(call: Call, head: dict[str, Any], outputs: Mapping[str, Array]) -> tuple[bytes, int]:
    """Return an answer's body and the length of its JSON part, 0 if it is JSON throughout."""
    described, blobs = [], []
    for name, array in outputs.items():
        if call.asked and name not in call.asked:
            continue
        entry: dict[str, Any] = {"name": name, "datatype": tensors.datatype(array)}
        entry["shape"] = list(array.shape)
        wish = call.asked.get(name)
        if call.is_binary if wish is None else wish:
            blobs.append(tensors.to_bytes(array))
            entry["parameters"] = {"binary_data_size": len(blobs[-1])}
        else:
            entry["data"] = array.ravel().tolist()
        described.append(entry)
    given = {} if call.id is None else {"id": call.id}
    text = orjson.dumps(head | given | {"outputs": described})
    return b"".join([text, *blobs]), len(text) if blobs else 0


def _call(request: dict[str, Any], blob: bytes, specs: Sequence[Spec]) -> Call:
    settings = _mapping(request.get("parameters", {}), "parameters")
    inputs = _inputs(request["inputs"], blob, {spec.name: spec for spec in specs})
    missing = [spec.name for spec in specs if not spec.is_optional and spec.name not in inputs]
    if missing:
        raise ValueError(f"input {missing[0]!r} is missing")
    rows = {array.shape[0] for array in inputs.values()}
    if len(rows) != 1:
        raise ValueError(f"the inputs have different numbers of rows: {sorted(rows)}")
    return Call(
        inputs=inputs,
        rows=rows.pop(),
        id=None if request.get("id") is None else str(request["id"]),
        timeout_s=_timeout_s(settings.get("timeout")),
        is_binary=settings.get("binary_data_output") is True,
        asked=dict(_asked(request.get("outputs") or [])),
    )


def _inputs(entries: Any, blob: bytes, known: dict[str, Spec]) -> dict[str, Array]:
    inputs: dict[str, Array] = {}
    at = 0
    for entry in _entries(entries, "inputs"):
        spec = known.get(entry["name"])
        if spec is None or spec.name in inputs:
            raise ValueError(f"input {entry['name']!r} is unknown or given twice")
        shape = spec.check(entry["shape"], entry["datatype"])
        told = _mapping(entry.get("parameters", {}), "parameters").get("binary_data_size")
        if told is None:
            inputs[spec.name] = tensors.from_json(entry["data"], shape, spec)
        else:
            end = at + tensors.size(told, len(blob) - at)
            inputs[spec.name] = tensors.from_bytes(blob[at:end], shape, spec)
            at = end
    if at != len(blob):
        raise ValueError(f"{len(blob) - at} bytes after the JSON belong to no input")
    return inputs


def _asked(entries: Any) -> Iterator[tuple[str, bool | None]]:
    for entry in _entries(entries, "outputs"):
        wish = _mapping(entry.get("parameters", {}), "parameters").get("binary_data")
        yield str(entry["name"]), wish if isinstance(wish, bool) else None


def _timeout_s(microseconds: Any) -> float | None:
    if microseconds is None:
        return None
    if type(microseconds) is not int or microseconds <= 0:
        raise ValueError("timeout must be a whole number of microseconds")
    return microseconds / 1e6


def _entries(value: Any, what: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > _MOST_TENSORS:
        raise ValueError(f"{what} must be a list of at most {_MOST_TENSORS} tensors")
    return [_mapping(entry, f"each of {what}") for entry in value]


def _mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be a JSON object")
    return value
