"""`python -m bench mlp-step`: our trainer with everything on, against the plainest fast loop.

The network is 64-64-10 on scikit-learn's digits, batch 64. Everything on: live events, commands,
checkpoints, a new run each 10,000 steps, and the recorder's process, whose CPU time is added.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import Tensor, nn

from bench import report
from bench.paired import Interval, Rounds, interval, take_turns, verdict
from bench.report import Result, Row
from trainer.batches import Batches
from trainer.flat import FlatAdamW
from trainer.loop import fit
from trainer.models import MLP
from trainer.run_config import RunConfig
from trainer.runs import create
from trainer.tracking.digest import Progress
from trainer.worker import ActiveRun

BLOCK, ROUNDS, RUN_STEPS, EPOCHS = 1000, 200, 10_000, 10**6
TARGET, RATE, SEED = 1.05, 1e-3, 1
Loop = Iterator[Tensor]  # yields the loss of each step, without end
Update = tuple[Callable[[], Any], Callable[[], Any]]  # applies the gradients, clears them


def main(words: list[str]) -> int:
    """Measures; a number as first word sets how many rounds."""
    torch.set_num_threads(1)
    rounds = int(words[0]) if words else ROUNDS
    with tempfile.TemporaryDirectory(prefix="stagecoach-bench-") as folder:
        runs = Path(folder)
        _check_losses(runs)
        before = report.load()
        recorder_s = _recorder_seconds_per_step(runs)
        contestants = {name: _block(loop) for name, loop in _loops(runs).items()}
        for warm_up in contestants.values():
            warm_up()
        measured = take_turns(contestants, rounds=rounds)
    result = _result(measured, recorder_s, [before, report.load()])
    report.show(result)
    place = report.keep(result, ("torch", "mlflow", "numpy", "scikit-learn"))
    print(f"\n  kept in {place.relative_to(Path.cwd())}")
    return 0


def _data() -> tuple[Tensor, Tensor]:
    inputs, labels = load_digits(return_X_y=True)
    return torch.from_numpy((inputs / 16).astype(np.float32)), torch.from_numpy(labels)


def _model() -> MLP:
    torch.manual_seed(SEED)
    return MLP((64, 64, 10))


def _batches() -> Batches:
    return Batches(*_data(), batch_size=64, epochs=EPOCHS, seed=SEED)


def _plain(update_of: Callable[[nn.Module], Update]) -> Loop:
    """What a fast loop is by hand: shuffle once an epoch, forward, backward, update, no log."""
    inputs, labels = _data()
    model, order = _model(), _batches().order
    update, clear = update_of(model)
    for epoch in range(EPOCHS):
        rows = order(epoch)
        for x, y in zip(torch.split(inputs[rows], 64), torch.split(labels[rows], 64), strict=True):
            loss = F.cross_entropy(model(x), y)
            loss.backward()  # type: ignore[no-untyped-call]
            update()
            clear()
            yield loss.detach()


def _usual(model: nn.Module) -> Update:
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, fused=True)
    return optimizer.step, optimizer.zero_grad


def _flat(model: nn.Module) -> Update:
    buffer = _one_buffer(model)
    assert buffer.grad is not None
    return torch.optim.AdamW([buffer], lr=RATE, fused=True).step, buffer.grad.zero_


def _own_flat(model: nn.Module) -> Update:
    optimizer = FlatAdamW(model, lr=RATE)
    return optimizer.step, optimizer.zero_grad


def _one_buffer(model: nn.Module) -> nn.Parameter:
    """All parameters as views of one, written out here so that the plain loop is plain."""
    parts = list(model.parameters())
    flat = nn.Parameter(torch.cat([part.detach().flatten() for part in parts]))
    flat.grad = torch.zeros_like(flat)
    at = 0
    for part in parts:
        end = at + part.numel()
        part.data = flat.data[at:end].view_as(part)
        part.grad = flat.grad[at:end].view_as(part)
        at = end
    return flat


def _ours(runs: Path) -> Loop:
    """Our trainer as a lab uses it, with a run folder, live events, commands and checkpoints."""
    model = _model()
    optimizer = FlatAdamW(model, lr=RATE)
    batches = _batches()
    steps = fit(model, batches, optimizer, loss_fn=F.cross_entropy)
    while True:
        run = ActiveRun(create(runs, RunConfig(lab="mlp_step")), torch.device("cpu"))
        run.begin({"device": "cpu"})
        run.plan(
            steps=RUN_STEPS,
            steps_per_epoch=batches.steps_per_epoch,
            examples_per_step=64,
            arms={"one": RUN_STEPS},
        )
        [arm] = run.arms({"one": RUN_STEPS})
        for at in range(1, RUN_STEPS + 1):
            step = next(steps)
            run.log(at, **{"train/loss": step.loss})
            if run.should_save(at):
                run.checkpoint(arm.state(model, optimizer, at))
            if run.should_stop:
                return
            yield step.loss
        run.end("FINISHED", "finished", error=None, surprise=None)


def _loops(runs: Path) -> dict[str, Loop]:
    return {
        "ours": _ours(runs),
        "plain": _plain(_flat),
        "plain again": _plain(_flat),
        "plain, our optimizer": _plain(_own_flat),
        "usual": _plain(_usual),
    }


def _block(loop: Loop, steps: int = BLOCK) -> Callable[[], None]:
    def work() -> None:
        for _ in range(steps):
            next(loop)

    return work


def _check_losses(runs: Path) -> None:
    """All contestants must learn the same; else the comparison does not count."""
    known: list[float] = []
    for name, loop in _loops(runs).items():
        losses = [next(loop).item() for _ in range(100)]
        known = known or losses
        furthest = max(abs(a - b) for a, b in zip(losses, known, strict=True))
        if furthest > 1e-5:
            raise SystemExit(f"{name}: losses differ by {furthest:.1e}; nothing was measured")


def _recorder_seconds_per_step(runs: Path) -> float:
    """CPU seconds a step that the recorder spends on our run; loading MLflow is left out."""
    recorder = subprocess.Popen(
        [sys.executable, "-m", "trainer.tracking", str(runs)], stderr=subprocess.DEVNULL
    )
    try:
        loop = _ours(runs)
        _block(loop, 200)()  # the first run makes the recorder load MLflow and make its store
        _wait_until_recorded(runs)
        before = _cpu_seconds(recorder.pid)
        steps = 5 * RUN_STEPS
        _block(loop, steps)()
        _wait_until_recorded(runs)
        return (_cpu_seconds(recorder.pid) - before) / steps
    finally:
        recorder.terminate()
        recorder.wait(timeout=60)


def _cpu_seconds(pid: int) -> float:
    """CPU seconds of all threads of a process, to the nanosecond."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def _wait_until_recorded(runs: Path, limit_s: float = 120.0) -> None:
    """Waits until the recorder has taken every line of every run."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if all(_is_recorded(events) for events in runs.glob("*/events.jsonl")):
            return
        time.sleep(0.2)
    raise SystemExit("the recorder did not catch up; nothing was measured")


def _is_recorded(events: Path) -> bool:
    try:
        progress = Progress.from_json((events.parent / "mlflow.json").read_bytes())
    except OSError:
        return False
    return progress.offset == events.stat().st_size


def _result(measured: Rounds, recorder_s: float, load: list[float]) -> Result:
    def row(name: str, words: str, extra_s: float = 0.0, target: float | None = None) -> Row:
        found: Interval = interval(measured.ratios(name, "plain", extra_s))
        said = verdict(found, target) if target else ""
        return Row(name=words, figure=found.figure, low=found.low, high=found.high,
                   target=target, verdict=said)  # fmt: skip

    recorder = recorder_s * BLOCK
    rows = [
        row("ours", "ours, everything on, recorder's CPU added", recorder, TARGET),
        row("plain again", "A/A: the plain flat loop against itself"),
        row("ours", "ours without the recorder's CPU"),
        row("plain, our optimizer", "plain loop with our flat optimizer"),
        row("usual", "usual fused loop, no flat buffer"),
    ]
    problems = {
        "void: the machine was busy": not measured.is_quiet,
        "void: the plain loop against itself is off": not 0.98 <= rows[1].figure <= 1.02,
    }
    return Result(
        workload="mlp-step",
        rows=rows,
        verdict=next((words for words, holds in problems.items() if holds), rows[0].verdict),
        rounds=measured.counted,
        void=measured.void,
        load=load,
        notes=[
            "Ratios of CPU time per step, all threads counted, to the plain flat loop = 1.",
            f"Blocks of {BLOCK} steps in shuffled turns; medians with 95 % bootstrap intervals.",
            f"The recorder took {1e6 * recorder_s:.2f} us of CPU a step in a run that never waits.",
            f"Load average before and after: {load[0]}, {load[1]}.",
            "Losses of all contestants agree to 1e-5 over 100 steps.",
        ],
    )
