"""The trace of a step: spans nest, own times add up, and tracing changes no number."""

import contextlib
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import record_function

from trainer import layers, multiplies
from trainer.flat import FlatAdamW
from trainer.models import TicketClassifier
from trainer.trace import KERNELS, LAYERS, RUNTIME, Span, nest, own_ns, traced
from trainer.traces import Traces

CPU = torch.device("cpu")


def train(
    traced_steps: set[int], steps: int = 6
) -> tuple[list[list[Span]], list[float], nn.Module]:
    torch.manual_seed(3)
    model = TicketClassifier(sizes=(12, 16, 16, 4), num_words=5)
    optimizer = FlatAdamW(model, lr=0.01)
    tickets, causes = torch.rand(8, 12), torch.arange(8) % 4
    traces, losses = [], []

    def one_step(line: Callable[[str], AbstractContextManager[Any]]) -> None:
        with line("all of it"):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(tickets), causes)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            losses.append(loss.item())

    for step in range(steps):
        if step in traced_steps:
            with traced(model, CPU) as spans:
                one_step(record_function)
            traces.append(spans)
        else:
            one_step(contextlib.nullcontext)
    return traces, losses, model


@pytest.fixture(scope="module")
def spans() -> list[Span]:
    return train({4})[0][0]


def test_every_span_lies_inside_its_parent_and_beside_its_siblings(spans: list[Span]) -> None:
    ends: dict[int | None, int] = {}
    for place, span in enumerate(spans):
        end = span.start_ns + span.duration_ns
        assert span.layer in LAYERS
        assert span.start_ns >= ends.get(span.parent, 0)
        ends[span.parent] = end
        if span.parent is None:
            assert place == span.depth == 0
        else:
            outer = spans[span.parent]
            assert outer.start_ns <= span.start_ns <= end <= outer.start_ns + outer.duration_ns
            assert span.depth == outer.depth + 1


def test_own_times_are_not_negative_and_add_up_to_the_whole_step(spans: list[Span]) -> None:
    assert min(own_ns(spans)) >= 0
    assert sum(own_ns(spans)) == spans[0].duration_ns > 0


def test_the_shares_of_a_step_add_up_to_one(spans: list[Span]) -> None:
    parts = layers.shares(spans)
    assert sum(parts.values()) == pytest.approx(1)
    assert set(parts) == {"python", "autograd", "other_operators", "multiply"}


def test_the_multiplies_are_those_of_three_layers_forward_and_backward(spans: list[Span]) -> None:
    # Nobody needs the gradient of the tickets themselves.
    assert layers.multiply_calls(spans) == 3 + 3 + 2


def test_modules_show_with_their_names_from_the_outside_in(spans: list[Span]) -> None:
    names = [span.name for span in spans if span.layer == "module"]
    assert names[:3] == ["model (TicketClassifier)", "net (MLP)", "net.0 (Linear)"]


def test_every_step_makes_as_many_operator_calls() -> None:
    counts = {layers.operator_calls(found) for found in train({0, 1, 3, 5})[0]}
    assert len(counts) == 1


def test_tracing_changes_neither_losses_nor_weights_and_leaves_no_hook() -> None:
    (_, bare, one), (_, watched, two) = train(set()), train({0, 2, 5})
    assert bare == watched
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in two.modules())


def test_the_traces_of_many_steps_come_back_as_they_were_and_say_the_calls_once() -> None:
    found = train({0, 1, 2, 3})[0]
    kept = Traces()
    for step, spans in enumerate(found, start=1):
        kept.add(step, spans)
    back = Traces(**json.loads(json.dumps(kept.as_dict())))
    assert [back.spans(step) for step in back.steps] == found
    assert len(back.shapes) == 1
    assert len(json.dumps(back.steps["2"])) < 0.5 * len(json.dumps(back.shapes))


def test_the_stacks_of_many_steps_say_once_what_is_the_same_in_them(spans: list[Span]) -> None:
    found = layers.stacks({"1": spans, "2": spans}, [], CPU)
    kind, us, whole_us = found["steps"]["2"]
    rows = [
        fixed | {"us": one, "whole_us": whole}
        for fixed, one, whole in zip(found["kinds"][kind], us, whole_us, strict=True)
    ]
    assert rows == layers.stack(spans, [], CPU)
    assert len(found["kinds"]) == 1
    assert found["step_us"]["1"] == spans[0].duration_ns / 1000


def test_a_step_that_fails_leaves_no_hook() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    with pytest.raises(RuntimeError), traced(model, CPU):
        model(torch.rand(1, 3))
    assert not model[0]._forward_hooks
    assert not model[0]._forward_pre_hooks


def event(kind: str, name: str, begin: float, duration: float, **args: Any) -> dict[str, Any]:
    return {"cat": kind, "name": name, "ts": begin, "dur": duration, "args": args}


ON_A_GPU = [
    event("user_annotation", "one training step", 100.0, 50.0),
    event("user_annotation", "loss.backward()", 110.0, 20.0),
    event("cpu_op", "AddmmBackward0", 112.0, 19.0),  # its thread ends after its caller
    event("cpu_op", "aten::mm", 113.0, 10.0),
    event("cuda_runtime", "cudaLaunchKernel", 114.0, 4.0, correlation=7),
    event("kernel", "sgemm_128x128", 140.0, 30.0, correlation=7),  # after the step's own end
    event("cuda_runtime", "cudaDeviceSynchronize", 151.0, 20.0, correlation=8),
    event("kernel", "of another step", 90.0, 5.0, correlation=3),
    event("gpu_memset", "of nobody", 120.0, 1.0),
]


def test_a_kernel_hangs_on_its_launch_and_takes_no_time_of_the_cpu() -> None:
    spans = nest(ON_A_GPU)
    *host, kernel = spans
    assert [span.depth for span in host] == [0, 1, 2, 3, 4]
    assert host[2].duration_ns == 18_000, "cut at the end of the line that waited for it"
    assert kernel.layer == KERNELS
    assert spans[kernel.parent or 0].layer == RUNTIME
    assert sum(own_ns(spans)) == 50_000
    assert layers.shares(spans)["launch"] == pytest.approx(4 / 50)


def test_lines_of_mkl_become_calls_with_sizes_and_microseconds() -> None:
    said = (
        "MKL_VERBOSE oneMKL 2024.0 Update 2 Product build 20240605 for Intel(R) 64\n"
        "MKL_VERBOSE SGEMM(T,N,128,16,500,0x7ffc,0x560a,500,0x56,500,0x7f,0x5,128) 1.5ms CNR:OFF\n"
        "another line\n"
        "MKL_VERBOSE SGEMV(T,500,128,0x7ffc,0x560a,500,0x56,1,0x7f,0x5,1) 800.00ns CNR:OFF\n"
    )
    found = [(call.name, call.duration_us) for call in multiplies.parse(said)]
    assert found == [("SGEMM 128 x 16 x 500", 1500.0), ("SGEMV 500 x 128", pytest.approx(0.8))]


@pytest.mark.skipif(not multiplies.is_heard(CPU), reason="this PyTorch has no MKL")
def test_the_library_tells_of_every_multiply_and_the_model_stays_as_it_was() -> None:
    model = TicketClassifier(sizes=(12, 16, 16, 4), num_words=5)
    found = multiplies.of_step(model, torch.rand(8, 12), torch.arange(8) % 4)
    assert [call.name for call in found[:3]] == [
        "SGEMM 16 x 8 x 12",
        "SGEMM 16 x 8 x 16",
        "SGEMM 4 x 8 x 16",
    ]
    assert len(found) == 3 + 3 + 2
    assert all(call.duration_us > 0 for call in found)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_machine_without_a_gpu_names_the_layers_it_lacks(spans: list[Span]) -> None:
    rows = layers.stack(spans, [], CPU)
    away = {row["layer"] for row in rows if not row["is_here"]}
    assert away == {"library", "runtime", "driver", "kernel"}
    assert all(row["us"] is None and row["note"] for row in rows if not row["is_here"])
    assert rows[-1]["layer"] == "chip"
    assert rows[-1]["name"]
    operator = next(row for row in rows if row["layer"] == "operator")
    assert operator["name"] == "aten::linear > aten::addmm"
