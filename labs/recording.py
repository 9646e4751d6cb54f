"""`python -m labs record`: runs a lab's defaults over several seeds and keeps the expected band."""

import argparse
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labs.progress import Bar
from trainer import events
from trainer.bands import Band, Line, band
from trainer.catalogue import ROOT
from trainer.device import cpu_name
from trainer.dispatch import client
from trainer.errors import BadSetting, BadState
from trainer.exit_codes import FINISHED
from trainer.runs import Run, RunConfig, RunStatus, runs_folder

LEARNER = "recording"
MOST_SEEDS = 10
_CHARTS = ("loss", "accuracy")  # what training does; times belong to one machine and one minute
_MOST_ARMS = 4
_SAME = 0.01  # of a line's whole range
_LOOK_S = 0.2
_WORDS = "run a lab's defaults with several seeds and keep between which values its curves lay"


def add(command: Callable[[str, Callable[[argparse.Namespace], int], str], Any]) -> None:
    """Add the command."""
    parser = command("record", _record, _WORDS)
    parser.add_argument("lab", metavar="ID")
    parser.add_argument("--seeds", type=int, default=MOST_SEEDS, metavar="N", help="from 1 to N")
    parser.add_argument("--preset", default="cpu")


def _record(parsed: argparse.Namespace) -> int:
    if not 2 <= parsed.seeds <= MOST_SEEDS:
        raise BadSetting(f"--seeds must be a whole number from 2 to {MOST_SEEDS}.")
    place = record(parsed.lab, parsed.seeds, parsed.preset)
    print(json.dumps({"file": str(place)}) if parsed.json else f"Recorded in {place}.")
    return FINISHED


def record(lab: str, seeds: int, preset: str = "cpu", root: Path = ROOT) -> Path:
    """Run the lab once for each seed from 1 on and write `content/recorded/LAB.json`.

    Raises:
        BadSetting: the lab measures times alone, of which nobody can expect the same.
        BadState: a run did not finish; nothing is written then.
    """
    configs = [
        RunConfig(lab=lab, preset=preset, seed=seed, learner=LEARNER)
        for seed in range(1, seeds + 1)
    ]
    first = _finish([configs[0]])
    _metrics(first[0])  # or there is nothing to record, and no other run need be made
    runs = [*first, *_finish(configs[1:])]
    folder = root / "content" / "recorded"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{lab}.json"
    events.replace(place, (json.dumps(summary(runs)) + "\n").encode())
    return place


def summary(runs: list[Run]) -> dict[str, Any]:
    """Return what is kept of some runs of one lab that differ by their seeds only."""
    start = next(event.values for event in runs[0].events()[0] if event.kind == "started")
    lines: dict[str, Band] = {}
    for name in _metrics(runs[0]):
        found = band([_aligned(run, name, runs[0].plan) for run in runs])
        if found and len(found["steps"]) > 1 and _is_new(found, list(lines.values())):
            lines[name] = found
    return {
        "lab": runs[0].config.lab,
        "preset": runs[0].config.preset,
        "settings": start["settings"],
        "seeds": [run.config.seed for run in runs],
        "data": runs[0].record.samples.get("data", ""),
        "device": start["device"],
        "machine": cpu_name() if start["device"] == "cpu" else start["device_name"],
        "torch": start["versions"]["torch"],
        "date": datetime.now(UTC).date().isoformat(),
        "plan": runs[0].plan,
        "lines": lines,
    }


def _metrics(run: Run) -> list[str]:
    """Return the figures of a run that are about learning; of many arms, the first one's alone."""
    found = [name for name in run.metrics if name.partition("/")[2] in _CHARTS]
    plain = [name for name in found if not _arm(name)]
    arms = sorted({_arm(name) for name in found} - {""})
    chosen = [*plain, *(name for name in found if _arm(name) in arms and len(arms) <= _MOST_ARMS)]
    if not chosen:
        raise BadSetting(
            f"The curves of {run.config.lab} are about time, which differs from machine to machine "
            "and from minute to minute. A band of it would promise too much; nothing was recorded."
        )
    return list(dict.fromkeys(chosen))


def _aligned(run: Run, name: str, plan: dict[str, Any]) -> Line:
    """Return the points of a figure at the steps of another plan.

    Seeds may draw more or fewer rows, and then arms begin elsewhere and epochs are longer: the
    same place is so many epochs after the arm's own beginning.
    """
    start, length = _arm_of(run.plan, name)
    wanted, other = _arm_of(plan, name)
    points = run.metric(name)
    return [(wanted + round((step - start) * other / length), value) for step, value in points]


def _arm_of(plan: dict[str, Any], name: str) -> tuple[int, int]:
    """Return the step before an arm's first, and the steps of one of its epochs."""
    arm, usual = _arm(name), plan.get("steps_per_epoch") or 1
    start = (plan.get("arms") or {}).get(arm, 0)
    return start, (plan.get("epoch_steps") or {}).get(arm) or usual


def _arm(name: str) -> str:
    return name.partition("/")[0].rpartition(".")[0]


def _is_new(found: Band, others: list[Band]) -> bool:
    """Whether no other line has the same band: one that runs on another needs none of its own."""
    spread = max(found["high"]) - min(found["low"])
    return not any(
        len(other["mid"]) == len(found["mid"])
        and all(
            abs(a - b) <= _SAME * spread for a, b in zip(other["mid"], found["mid"], strict=True)
        )
        for other in others
    )


def _finish(configs: list[RunConfig]) -> list[Run]:
    """Submit runs to the dispatcher, which knows how many go at once, and wait for all of them."""
    folder, bar = runs_folder(), Bar()
    runs = [client.submit(folder, config) for config in configs]
    try:
        for run in runs:
            while not run.has_ended:
                client.ensure(folder)
                bar.show(run)
                time.sleep(_LOOK_S)
            if run.status is not RunStatus.FINISHED:
                raise BadState(f"{run.id} ended {run.status.lower()}: {run.error or run.reason}")
    except BaseException:
        for run in runs:
            if not run.has_ended:
                run.stop("the recording was given up")
        raise
    return runs
