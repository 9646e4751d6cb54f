"""Traces one training step with PyTorch's profiler: what ran, in which layer, inside what.

What the layers mean to a learner is left to `trainer.layers`. Times are whole nanoseconds, so that
own times add up exactly. Tracing reads and times; it changes no number of the training.
"""

import json
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function

STEP = "one training step"
MODULE = "nn.Module: "
# Layers from the script down; the last two are there only with CUDA.
SCRIPT, MODULES, AUTOGRAD, OPERATORS, RUNTIME, KERNELS = LAYERS = (
    "script",
    "module",
    "autograd",
    "operator",
    "runtime",
    "kernel",
)
_CUDA = {"cuda_runtime": RUNTIME, "cuda_driver": RUNTIME}
_CUDA |= dict.fromkeys(("kernel", "gpu_memcpy", "gpu_memset"), KERNELS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """One call; `parent` is the place of the span it ran inside, None for the step itself.

    A span on a GPU is the child of the call that launched it, but has a clock of its own.
    """

    name: str
    layer: str
    start_ns: int
    duration_ns: int
    depth: int
    parent: int | None


@contextmanager
def traced(model: nn.Module, device: torch.device) -> Iterator[list[Span]]:
    """Traces what runs inside; the list is filled at the end, the step itself first."""
    spans: list[Span] = []
    activities = [ProfilerActivity.CPU]
    if device.type == "cuda":
        activities.append(ProfilerActivity.CUDA)
    with ExitStack() as marks:
        for name, module in model.named_modules():
            marks.callback(_mark(name, module))
        # PyTorch warns that it forgets events from one use to the next; this is used once.
        marks.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", "(Warning: )?Profiler clears events")
        with profile(activities=activities) as profiler:
            with record_function(STEP):
                yield spans
            if device.type == "cuda":
                torch.cuda.synchronize(device)  # else kernels still to come are not in the trace
    spans += nest(_events(profiler))


def own_ns(spans: list[Span]) -> list[int]:
    """Return each span's time without its children's; a GPU's spans, on another clock, have 0."""
    own = [0 if span.layer == KERNELS else span.duration_ns for span in spans]
    for span in spans:
        if span.parent is not None and span.layer != KERNELS:
            own[span.parent] -= span.duration_ns
    return own


def nest(events: list[dict[str, Any]]) -> list[Span]:
    """Put the profiler's events into each other; `ts` and `dur` are in microseconds."""
    root = next(event for event in events if event["name"] == STEP)
    begin, limit = _ns(root["ts"]), _ns(root["dur"])
    found = [(_ns(each["ts"]) - begin, _ns(each["dur"]), each) for each in events]
    host = [each for each in found if _layer(each[2]) not in (None, KERNELS)]
    host = [each for each in host if 0 <= each[0] <= limit]
    host.sort(key=lambda each: (each[2] is not root, each[0], -each[1]))
    spans: list[Span] = []
    open_: list[int] = []
    launched: dict[Any, int] = {}
    for start, duration, event in host:
        while len(open_) > 1 and start >= _end(spans[open_[-1]]):
            open_.pop()
        parent = open_[-1] if open_ else None
        if parent is not None:  # an autograd thread may close its span a moment after its caller
            duration = min(duration, _end(spans[parent]) - start)
        if _layer(event) == RUNTIME:
            launched[event["args"]["correlation"]] = len(spans)
        open_.append(len(spans))
        spans.append(_span(event, start, duration, len(open_) - 1, parent))
    for start, duration, event in found:
        parent = launched.get(event.get("args", {}).get("correlation"))
        if _layer(event) == KERNELS and parent is not None:
            spans.append(_span(event, start, duration, spans[parent].depth + 1, parent))
    return spans


def _span(event: dict[str, Any], start: int, duration: int, depth: int, parent: int | None) -> Span:
    layer = _layer(event)
    assert layer is not None
    return Span(
        name=event["name"].removeprefix(MODULE),
        layer=layer,
        start_ns=start,
        duration_ns=duration,
        depth=depth,
        parent=parent,
    )


def _end(span: Span) -> int:
    return span.start_ns + span.duration_ns


def _ns(microseconds: float) -> int:
    return round(1000 * microseconds)


def _layer(event: dict[str, Any]) -> str | None:
    """Return the layer of an event; None for what belongs to the profiler."""
    kind, name = event.get("cat", ""), event["name"]
    if kind == "user_annotation":
        return MODULES if name.startswith(MODULE) else SCRIPT
    if kind == "cpu_op":
        return OPERATORS if "::" in name and "autograd" not in name else AUTOGRAD
    return _CUDA.get(kind)


def _events(profiler: Any) -> list[dict[str, Any]]:
    """Return what the profiler saw, by its public way out: the file for Chrome's trace viewer."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profiler.export_chrome_trace(file.name)
        events = json.loads(Path(file.name).read_bytes())["traceEvents"]
    return [event for event in events if event.get("ph") == "X"]


def _mark(name: str, module: nn.Module) -> Any:
    """Let a module's forward pass show in the trace; returns what takes the mark off again."""
    label = f"{MODULE}{name or 'model'} ({type(module).__name__})"
    ranges: list[record_function] = []

    def enter(*_: Any) -> None:
        ranges.append(record_function(label))
        ranges[-1].__enter__()  # type: ignore[no-untyped-call]

    def leave(*_: Any) -> None:
        ranges.pop().__exit__(None, None, None)

    before = module.register_forward_pre_hook(enter)
    after = module.register_forward_hook(leave, always_call=True)

    def take_off() -> None:
        before.remove()
        after.remove()

    return take_off
