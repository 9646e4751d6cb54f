"""The endpoint against the bare model, and against MLServer and Triton, in turns of one run.

The first figures are rows answered per second, of those that the bare model computes in batches of
32 in the same round; the others are CPU time a row, of the bare model's, which a busy machine
changes little. All have one compute thread; the callers run on the same cores, uncounted.
"""

import json
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bench import engines, paired, report
from bench.callers import closed_loop
from bench.engines import Engine
from trainer.serve import client
from trainer.serve.backend import Onnx, wide_file

UNITS = 2048  # 51 MB of weights and half a millisecond a row: HTTP is not what limits it
ROUNDS, BLOCK_S, BATCH, CALLERS = 8, 2.0, 32, 64
TARGET = 0.8
AGAIN = "bare again (A/A)"
OWN, FOURS, WHOLE = "ours", "ours, four rows a request", "ours, 32 rows a request"


@dataclass(frozen=True)
class Taken:
    """One block: rows per second, CPU seconds a row, and whether it had a core to itself."""

    rate: float
    cpu_s: float
    is_quiet: bool = True


Contestant = Callable[[], Taken]
Round = dict[str, Taken]


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
    served = {OWN: Engine(f"{own.address}/v2/models/wide/infer", own.process.pid)}
    for name, engine in {"Triton": engines.triton, "MLServer": engines.mlserver}.items():
        try:
            served[name] = stack.enter_context(engine(folder, model))
        except engines.NotHere as reason:
            notes.append(f"{name} was left out: {reason}")
            print(notes[-1], flush=True)
    _check_answers({name: one.address for name, one in served.items()})
    found: dict[str, Contestant] = {"bare": _bare(model)}
    for name, one in served.items():
        found[name] = _served(one, 1, CALLERS)
    found[FOURS] = _served(served[OWN], 4, CALLERS // 4)
    found[WHOLE] = _served(served[OWN], BATCH, 3)
    return found | {AGAIN: _bare(model)}


def _bare(model: Path) -> Contestant:
    backend = Onnx(model.read_bytes(), 1, "bare")
    feed = np.repeat(backend.example, BATCH, axis=0) + np.float32(0.5)

    def block() -> Taken:
        start, cpu, rows = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - start < BLOCK_S:
            backend.forward(feed)
            rows += BATCH
        wall, spent = time.perf_counter() - start, time.process_time() - cpu
        return Taken(rows / wall, spent / rows, is_quiet=wall <= paired.WAITED * spent)

    return block


def _served(engine: Engine, rows: int, callers: int) -> Contestant:
    body = _body(rows)

    def block() -> Taken:
        before, start = engine.cpu_s(), time.perf_counter()
        rate = rows * closed_loop(engine.address, body, callers=callers, seconds=BLOCK_S)
        wall = time.perf_counter() - start
        return Taken(rate, (engine.cpu_s() - before) / (rate * wall))

    return block


def _take_turns(contestants: dict[str, Contestant], rounds: int) -> tuple[list[Round], list[Round]]:
    """What each took, one dict a round: of quiet rounds, and of void ones."""
    draw = Random(0)
    quiet: list[Round] = []
    void: list[Round] = []
    for contestant in contestants.values():
        contestant()  # warm
    for number in range(rounds):
        order = list(contestants)
        draw.shuffle(order)
        taken = {name: contestants[name]() for name in order}
        print(f"round {number + 1}: " + _words(taken), flush=True)
        is_quiet = taken["bare"].is_quiet and taken[AGAIN].is_quiet
        (quiet if is_quiet else void).append({name: taken[name] for name in contestants})
    return quiet, void


def _result(
    quiet: list[Round],
    void: list[Round],
    notes: list[str],
    load: list[float],
) -> report.Result:
    is_quiet = len(quiet) >= paired.ENOUGH * (len(quiet) + len(void))
    used = quiet if is_quiet else quiet + void
    names = [name for name in used[0] if name != "bare"]
    rates = {n: paired.interval([one[n].rate / one["bare"].rate for one in used]) for n in names}
    costs = {n: paired.interval([one[n].cpu_s / one["bare"].cpu_s for one in used]) for n in names}
    said = paired.verdict(rates[OWN], TARGET, is_least=True) if is_quiet else "void"
    first: dict[str, Any] = {"target": TARGET, "is_least": True, "verdict": said}
    rows = [
        report.Row(name=f"{n} / bare", **asdict(found), **(first if n == OWN else {}))
        for n, found in rates.items()
    ]
    rows += [report.Row(name=f"CPU a row, {n} / bare", **asdict(f)) for n, f in costs.items()]
    return report.Result(
        workload="serving",
        rows=rows,
        verdict=said if is_quiet else "void: the machine was busy",
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


def _words(taken: Round) -> str:
    return ", ".join(f"{n} {one.rate:.0f}/s {1e6 * one.cpu_s:.0f} us" for n, one in taken.items())
