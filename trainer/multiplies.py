"""Asks the library below PyTorch which matrix multiplications it did, by the library's own words.

The profiler ends at PyTorch's operators. Intel's MKL can say one line a call, with its own clock.
"""

import copy
import ctypes
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_LINE = re.compile(
    r"^MKL_VERBOSE (?P<name>[A-Z]\w+)\((?P<args>[^)]*)\) (?P<time>[\d.]+)(?P<unit>\w+)"
)
_UNITS = {"ns": 0.001, "us": 1.0, "ms": 1000.0, "s": 1e6}


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of the library: its name with the sizes it was given, and its time."""

    name: str
    duration_us: float


def is_heard(device: torch.device) -> bool:
    """Whether there is a library here that says what it does."""
    has_mkl: bool = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]
    return device.type == "cpu" and has_mkl


def of_step(model: nn.Module, inputs: Tensor, targets: Tensor) -> list[Call]:
    """Return the calls of one forward and backward pass over a copy of the model."""
    twin = copy.deepcopy(model)

    def work() -> None:
        F.cross_entropy(twin(inputs), targets).backward()  # type: ignore[no-untyped-call]

    return calls(work, inputs.device)


def calls(work: Callable[[], None], device: torch.device) -> list[Call]:
    """Return the library's calls in `work`, done twice: the first line MKL ever says costs time."""
    if not is_heard(device):
        return []
    loud = torch.backends.mkl.verbose(torch.backends.mkl.VERBOSE_ON)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryFile() as file:
        with _caught(file), loud:
            work()
            work()
        file.seek(0)
        found = parse(file.read().decode(errors="replace"))
    return found[len(found) // 2 :]


def parse(text: str) -> list[Call]:
    """Return the calls that MKL's lines tell of."""
    found = (_LINE.match(line) for line in text.splitlines())
    return [_call(match) for match in found if match]


def _call(match: re.Match[str]) -> Call:
    before_pointers = match["args"].split("0x")[0]
    sizes = " x ".join(part for part in before_pointers.split(",") if part.isdigit())
    duration = float(match["time"]) * _UNITS[match["unit"]]
    return Call(name=f"{match['name']} {sizes}".strip(), duration_us=duration)


@contextmanager
def _caught(file: IO[bytes]) -> Iterator[None]:
    """Catches what C code of this process prints, which Python's own streams never see."""
    _flush()
    kept = os.dup(1)
    os.dup2(file.fileno(), 1)
    try:
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)


def _flush() -> None:
    ctypes.CDLL(None).fflush(None)
