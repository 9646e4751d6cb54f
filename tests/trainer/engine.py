"""What the engine's tests share: submit toy runs, wait with a deadline, look at processes."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from tests.trainer.toy import WARM
from trainer.dispatch import client
from trainer.process import Identity
from trainer.runs import Run, RunConfig

DEADLINE_S = 60.0


def submit(runs: Path, learner: str = "local", lab: str = "toy", **settings: Any) -> Run:
    config = RunConfig(lab=lab, settings=settings, learner=learner)
    return client.submit(runs, config, WARM)


def wait(condition: Callable[[], Any], what: str, seconds: float = DEADLINE_S) -> Any:
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain until {what}"
        time.sleep(0.01)
    return result


def ended(run: Run) -> Run:
    wait(lambda: run.has_ended, f"{run.id} ends; {run.status}, {run.log_tail}")
    return run


def running(run: Run, step: int = 1) -> Identity:
    wait(lambda: run.step >= step or run.has_ended, f"step {step}")
    assert not run.has_ended, f"{run.error} {run.reason} {run.log_tail}"
    assert run.worker
    return run.worker


def losses(run: Run) -> list[tuple[int, float]]:
    return run.metric("train/loss")


def processes(runs: Path) -> list[str]:
    """Every living process that names this runs folder in its command line or environment."""
    found = []
    for process in psutil.process_iter(["cmdline", "status", "environ"]):
        words = " ".join(process.info["cmdline"] or [])
        named = str(runs) in words or (process.info["environ"] or {}).get("STAGECOACH_RUNS") == str(
            runs
        )
        if (
            named
            and process.info["status"] != psutil.STATUS_ZOMBIE
            and process.pid != psutil.Process().pid
        ):
            found.append(words)
    return found


def dispatcher(runs: Path) -> Identity:
    return wait(lambda: client.dispatcher(runs), "a dispatcher lives")


def warm_parent(runs: Path) -> psutil.Process:
    children = psutil.Process(dispatcher(runs).pid).children()
    return next(child for child in children if "tests.trainer.toy" in child.cmdline())


def lines(run: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run.path / "events.jsonl").read_text().splitlines()]
