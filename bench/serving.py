"""The endpoint against the bare model, and against MLServer and Triton, in turns of one run.

A figure is rows answered per second, of those that the bare model computes in batches of 32 in the
same round. All have one compute thread; the callers run on the same cores.
"""

import json
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bench import engines, paired, report
from bench.callers import closed_loop
from trainer.serve import client
from trainer.serve.backend import Onnx, wide_file

UNITS = 2048  # 51 MB of weights and half a millisecond a row: HTTP is not what limits it
ROUNDS, BLOCK_S, BATCH, CALLERS = 8, 2.0, 32, 64
TARGET = 0.8
AGAIN = "bare again (A/A)"
OWN, FOURS, WHOLE = "ours", "ours, four rows a request", "ours, 32 rows a request"
Contestant = Callable[[], float]  # rows per second over one block


def main(words: list[str]) -> int:
    """Runs the workload; a number among the words is how many rounds."""
    rounds = next((int(word) for word in words if word.isdecimal()), ROUNDS)
    notes: list[str] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        contestants = _contestants(folder, stack, notes)
        before = report.load()
        quiet, void = _take_turns(contestants, rounds)
        result = _result(quiet, void, notes, [before, report.load()])
    report.show(result)
    print(f"\nKept in {report.keep(result, ('onnxruntime', 'uvicorn', 'starlette'))}.")
    return 0


def _contestants(folder: Path, stack: ExitStack, notes: list[str]) -> dict[str, Contestant]:
    model = folder / "model.onnx"
    model.write_bytes(wide_file(UNITS))
    options = ("--extra", f"wide:{UNITS}", "--queue-s", "off")
    own = stack.enter_context(client.private(folder, folder / "own.json", *options))
    addresses = {OWN: f"{own.address}/v2/models/wide/infer"}
    for name, engine in {"Triton": engines.triton, "MLServer": engines.mlserver}.items():
        try:
            addresses[name] = stack.enter_context(engine(folder, model))
        except engines.NotHere as reason:
            notes.append(f"{name} was left out: {reason}")
            print(notes[-1], flush=True)
    _check_answers(addresses)
    found: dict[str, Contestant] = {"bare": _bare(model)}
    for name, address in addresses.items():
        found[name] = _served(address, 1, CALLERS)
    found[FOURS] = _served(addresses[OWN], 4, CALLERS // 4)
    found[WHOLE] = _served(addresses[OWN], BATCH, 3)
    return found | {AGAIN: _bare(model)}


def _bare(model: Path) -> Contestant:
    backend = Onnx(model.read_bytes(), 1, "bare")
    feed = np.repeat(backend.example, BATCH, axis=0) + np.float32(0.5)

    def block() -> float:
        start, cpu, rows = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - start < BLOCK_S:
            backend.forward(feed)
            rows += BATCH
        wall = time.perf_counter() - start
        had_to_wait = wall > paired.WAITED * (time.process_time() - cpu)
        return -rows / wall if had_to_wait else rows / wall  # a negative one is void

    return block


def _served(address: str, rows: int, callers: int) -> Contestant:
    body = _body(rows)
    return lambda: rows * closed_loop(address, body, callers=callers, seconds=BLOCK_S)


def _take_turns(
    contestants: dict[str, Contestant], rounds: int
) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Rows per second of each, one dict a round: of quiet rounds, and of void ones."""
    draw = Random(0)
    quiet: list[dict[str, float]] = []
    void: list[dict[str, float]] = []
    for contestant in contestants.values():
        contestant()  # warm
    for number in range(rounds):
        order = list(contestants)
        draw.shuffle(order)
        taken = {name: contestants[name]() for name in order}
        print(f"round {number + 1}: " + _words(taken), flush=True)
        is_void = min(taken["bare"], taken[AGAIN]) < 0
        (void if is_void else quiet).append({name: abs(taken[name]) for name in contestants})
    return quiet, void


def _result(
    quiet: list[dict[str, float]],
    void: list[dict[str, float]],
    notes: list[str],
    load: list[float],
) -> report.Result:
    is_quiet = len(quiet) >= paired.ENOUGH * (len(quiet) + len(void))
    used = quiet if is_quiet else quiet + void
    rows = []
    for name in [name for name in used[0] if name != "bare"]:
        found = paired.interval([taken[name] / taken["bare"] for taken in used])
        span: dict[str, Any] = {"figure": found.figure, "low": found.low, "high": found.high}
        if name == OWN:
            said = paired.verdict(found, TARGET, is_least=True)
            span |= {"target": TARGET, "is_least": True, "verdict": said}
        rows.append(report.Row(name=f"{name} / bare", **span))
    return report.Result(
        workload="serving",
        rows=rows,
        verdict=rows[0].verdict if is_quiet else "void: the machine was busy",
        rounds=len(used),
        void=len(void),
        load=load,
        notes=[
            f"Bare: batches of {BATCH}, one thread. Served: {CALLERS} callers in a closed loop on "
            "the same cores, one row a request where nothing else is said. Delay 0, MLServer 2 ms.",
            f"The model is for timing only: 4 layers of {UNITS} units, random weights.",
            *notes,
        ],
    )


def _check_answers(addresses: dict[str, str]) -> None:
    """All must give the same scores, or their speed says nothing."""
    scores = {}
    for name, address in addresses.items():
        request = urllib.request.Request(address, _body(2), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            scores[name] = np.ravel(json.load(reply)["outputs"][0]["data"])
    for name, found in scores.items():
        if not np.allclose(found, scores[OWN], atol=1e-4):
            raise RuntimeError(f"{name} gives other scores than {OWN}")


def _body(rows: int) -> bytes:
    data = [0.5] * 64 * rows
    entry = {"name": "tickets", "shape": [rows, 64], "datatype": "FP32", "data": data}
    return json.dumps({"inputs": [entry]}).encode()


def _words(taken: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.0f}" for name, value in taken.items())
