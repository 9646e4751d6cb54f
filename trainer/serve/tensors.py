"""One tensor of the Open Inference Protocol: from JSON or little-endian bytes to an array and back.

Whatever does not fit raises ValueError with words for the one who sent it.
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
BYTES = "BYTES"  # texts; as arrays they are of dtype object
NUMBERS: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype("?"),
    **{f"INT{bits}": np.dtype(f"<i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"UINT{bits}": np.dtype(f"<u{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"FP{bits}": np.dtype(f"<f{bits // 8}") for bits in (16, 32, 64)},
}
_KINDS = {"b": "b", "f": "iuf", "i": "iu", "u": "iu"}  # what JSON may give for a kind of numbers
_LENGTH = struct.Struct("<I")  # before each element of BYTES in binary form


@dataclass(frozen=True)
class Spec:
    """One input or output of a model; -1 in `shape` is any size, the first one is the rows."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    is_optional: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return what metadata says of it; `optional` is ours, other clients skip it."""
        body = {"name": self.name, "datatype": self.datatype, "shape": list(self.shape)}
        return body | ({"optional": True} if self.is_optional else {})

    def check(self, shape: Any, datatype: Any) -> tuple[int, ...]:
        """Return the shape of what was sent, if both fit."""
        if datatype != self.datatype:
            raise ValueError(f"input {self.name!r} is {self.datatype}, not {datatype}")
        is_list = isinstance(shape, list) and all(type(size) is int and size > 0 for size in shape)
        if not is_list or len(shape) != len(self.shape):
            raise ValueError(f"input {self.name!r}: the shape must be like {list(self.shape)}")
        if any(want not in (-1, size) for size, want in zip(shape, self.shape, strict=True)):
            raise ValueError(f"input {self.name!r}: {shape} does not fit {list(self.shape)}")
        return tuple(shape)


def from_json(data: Any, shape: tuple[int, ...], spec: Spec) -> Array:
    """Return the array of a list, flat or nested."""
    if not isinstance(data, list):
        raise ValueError(f"input {spec.name!r}: data is no list")
    if spec.datatype == BYTES:
        return _texts(list(_flat(data, len(shape))), shape, spec)
    wanted, given = NUMBERS[spec.datatype], np.asarray(data)
    if given.dtype.kind not in _KINDS[wanted.kind]:
        raise ValueError(f"input {spec.name!r}: data is not {spec.datatype}")
    with np.errstate(over="ignore"):
        array = given.astype(wanted)
    if wanted.kind in "iu" and not np.array_equal(array, given):
        raise ValueError(f"input {spec.name!r}: a number is out of the range of {spec.datatype}")
    return _numbers(array, shape, spec)


def from_bytes(data: bytes, shape: tuple[int, ...], spec: Spec) -> Array:
    """Return the array of a tensor in binary form."""
    if spec.datatype == BYTES:
        return _texts([part.decode() for part in _parts(data)], shape, spec)
    return _numbers(np.frombuffer(data, NUMBERS[spec.datatype]), shape, spec)


def to_bytes(array: Array) -> bytes:
    """Return the binary form."""
    if array.dtype != object:
        return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    parts = [str(text).encode() for text in array.ravel()]
    return b"".join(_LENGTH.pack(len(part)) + part for part in parts)


def datatype(array: Array) -> str:
    """Return the protocol's name of what an array holds."""
    if array.dtype == object:
        return BYTES
    return next(name for name, known in NUMBERS.items() if known == array.dtype)


def size(told: Any, most: int) -> int:
    """Return a length that somebody told, if so many bytes are there."""
    if type(told) is not int or not 0 <= told <= most:
        raise ValueError(f"a length says {told}, but {most} bytes are there")
    return told


def _numbers(array: Array, shape: tuple[int, ...], spec: Spec) -> Array:
    _check_count(array.size, shape, spec)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"input {spec.name!r} holds NaN, infinity or a number too large")
    return array.reshape(shape)


def _texts(texts: list[Any], shape: tuple[int, ...], spec: Spec) -> Array:
    if not all(type(text) is str for text in texts):
        raise ValueError(f"input {spec.name!r}: each element must be a text")
    _check_count(len(texts), shape, spec)
    array = np.empty(len(texts), object)
    array[:] = texts
    return array.reshape(shape)


def _check_count(count: int, shape: tuple[int, ...], spec: Spec) -> None:
    if count != math.prod(shape):
        raise ValueError(f"input {spec.name!r}: {count} elements for the shape {list(shape)}")


def _parts(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        if len(data) - at < _LENGTH.size:
            raise ValueError("an element of BYTES has no length before it")
        length = size(_LENGTH.unpack_from(data, at)[0], len(data) - at - _LENGTH.size)
        at += _LENGTH.size + length
        yield data[at - length : at]


def _flat(data: list[Any], depth: int) -> Iterator[Any]:
    for one in data:
        if isinstance(one, list) and depth > 1:
            yield from _flat(one, depth - 1)
        else:
            yield one
