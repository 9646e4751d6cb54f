"""What the trace of a step says of each layer, from the script down to the chip."""

from dataclasses import asdict, dataclass
from typing import Any

import torch

from trainer.device import cpu_name
from trainer.multiplies import Call
from trainer.trace import (
    AUTOGRAD,
    KERNELS,
    MODULES,
    OPERATORS,
    RUNTIME,
    SCRIPT,
    Span,
    own_ns,
)

MULTIPLIES = frozenset({"aten::addmm", "aten::mm", "aten::bmm", "aten::addmv", "aten::mv"})
TIMES = ("us", "whole_us")  # of a layer; all else is the same in step after step
NO_GPU = "not here: this run uses no GPU"


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One layer: its part in one multiply, and in the whole step; None where nothing is timed.

    `calls` and `whole_us` are of the whole step; `whole_us` leaves out what ran in layers below.
    """

    layer: str
    name: str
    is_here: bool = True
    us: float | None = None
    calls: int | None = None
    whole_us: float | None = None
    note: str = ""


def operator_calls(spans: list[Span]) -> int:
    """Return how many operators ran, those that operators call included."""
    return sum(span.layer == OPERATORS for span in spans)


def multiply_calls(spans: list[Span]) -> int:
    """Return how many of them multiplied matrices."""
    return sum(span.name in MULTIPLIES for span in spans)


def shares(spans: list[Span]) -> dict[str, float]:
    """Return how the step's time divides; the parts add up to 1."""
    parts = dict.fromkeys(("python", "autograd", "other_operators", "multiply", "launch"), 0)
    for span, own in zip(spans, own_ns(spans), strict=True):
        parts[_part(span)] += own
    if not any(span.layer == RUNTIME for span in spans):
        del parts["launch"]
    return {name: own / spans[0].duration_ns for name, own in parts.items()}


def stack(spans: list[Span], library: list[Call], device: torch.device) -> list[dict[str, Any]]:
    """Return the layers from the script to the chip, as a picture takes them."""
    is_gpu = device.type == "cuda"
    path = _path(spans)
    last = {span.layer: span for span in path}
    back = [span for span in spans if span.layer == AUTOGRAD and span.name == "AddmmBackward0"]
    first_operator = next(span for span in path if span.layer == OPERATORS)
    names = {OPERATORS: " > ".join(span.name for span in path if span.layer == OPERATORS)}
    rows = [
        _seen(spans, SCRIPT, last[SCRIPT]),
        _seen(spans, MODULES, last[MODULES]),
        # The first layer's way back is the last that backward comes to.
        _seen(spans, AUTOGRAD, back[-1], note="the same multiply on the way back"),
        _seen(spans, OPERATORS, first_operator, name=names[OPERATORS]),
        _library(library, is_gpu=is_gpu),
        *_gpu(spans, path[-1], is_gpu=is_gpu),
        Layer(layer="chip", name=torch.cuda.get_device_name(device) if is_gpu else cpu_name()),
    ]
    return [asdict(row) for row in rows]


def stacks(
    steps: dict[str, list[Span]], library: list[Call], device: torch.device
) -> dict[str, Any]:
    """Return the stacks of many steps, small: what is the same in them stands once.

    `kinds` are stacks without times; a step is `[kind, times, whole times]`, a time a layer.
    `step_us` holds how long each whole step took.
    """
    kinds: list[list[dict[str, Any]]] = []
    found: dict[str, list[Any]] = {}
    for step, spans in steps.items():
        rows = stack(spans, library, device)
        kind = [{name: v for name, v in row.items() if name not in TIMES} for row in rows]
        if kind not in kinds:
            kinds.append(kind)
        times = [[_rounded(row[name]) for row in rows] for name in TIMES]
        found[step] = [kinds.index(kind), *times]
    whole = {step: spans[0].duration_ns / 1000 for step, spans in steps.items()}
    return {"kinds": kinds, "steps": found, "step_us": whole}


def _rounded(us: float | None) -> float | None:
    return None if us is None else round(us, 3)


def _path(spans: list[Span]) -> list[Span]:
    """Return the first multiply of the step with all that it ran inside, outermost first."""
    place: int | None = next(i for i, span in enumerate(spans) if span.name in MULTIPLIES)
    path = []
    while place is not None:
        path.append(spans[place])
        place = spans[place].parent
    return path[::-1]


def _seen(spans: list[Span], layer: str, one: Span, *, name: str = "", note: str = "") -> Layer:
    is_kernel = layer == KERNELS
    own = [span.duration_ns for span in spans] if is_kernel else own_ns(spans)
    mine = [time for span, time in zip(spans, own, strict=True) if span.layer == layer]
    return Layer(
        layer=layer,
        name=name or one.name,
        us=one.duration_ns / 1000,
        calls=len(mine) - (layer == SCRIPT),  # the step as a whole is no line
        whole_us=sum(mine) / 1000,
        note=note,
    )


def _library(calls: list[Call], *, is_gpu: bool) -> Layer:
    if is_gpu:
        note = "a GPU's library; the kernel below bears its name"
        return Layer(layer="library", name="cuBLAS", note=note)
    if not calls:
        note = "not seen: this library keeps no log"
        return Layer(layer="library", name="math library of the CPU", is_here=False, note=note)
    return Layer(
        layer="library",
        name=f"MKL {calls[0].name}",
        us=calls[0].duration_us,
        calls=len(calls),
        whole_us=sum(call.duration_us for call in calls),
        note="by MKL's own clock, in one more step of a copy; lies within the operators' time",
    )


def _gpu(spans: list[Span], multiply: Span, *, is_gpu: bool) -> list[Layer]:
    """Return the three layers between a library and a GPU."""
    names = {"runtime": "CUDA runtime", "driver": "NVIDIA driver", "kernel": "GPU kernel"}
    if not is_gpu:
        return [
            Layer(layer=n, name=words, is_here=False, note=NO_GPU) for n, words in names.items()
        ]
    kernels = [span for span in spans if span.layer == KERNELS and _inside(spans, span, multiply)]
    if not kernels:
        note = "the profiler saw no kernel"
        return [Layer(layer=n, name=words, is_here=False, note=note) for n, words in names.items()]
    launch = spans[kernels[-1].parent or 0]
    return [
        _seen(spans, RUNTIME, launch),
        Layer(layer="driver", name=names["driver"], note="its time lies within the runtime's"),
        _seen(spans, KERNELS, kernels[-1], note="runs on the GPU while the CPU goes on"),
    ]


def _inside(spans: list[Span], span: Span, outer: Span) -> bool:
    while span is not outer and span.parent is not None:
        span = spans[span.parent]
    return span is outer


def _part(span: Span) -> str:
    if span.layer == OPERATORS:
        return "multiply" if span.name in MULTIPLIES else "other_operators"
    parts = {SCRIPT: "python", MODULES: "python", AUTOGRAD: "autograd"}
    return parts.get(span.layer, "launch")
