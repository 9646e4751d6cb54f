"""`python -m bench surprises [LAB ...]`: does each lab keep its promise in nine of ten seeds?"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

SEEDS = range(1, 11)
NEEDED = 9
AT_ONCE = 2
LIMIT_S = 900


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one run of the command line ended with."""

    lab: str
    seed: int
    finding: str
    surprise: bool | None
    seconds: float
    error: str


def main(words: list[str]) -> int:
    """Runs each lab with ten seeds, two at once, and prints a table; 1 if a promise is broken."""
    with tempfile.TemporaryDirectory(prefix="stagecoach-surprises-") as runs:
        os.environ["STAGECOACH_RUNS"] = runs
        try:
            kept = [_show(lab, _run_all(lab)) for lab in words or _labs()]
        finally:
            _call(
                "from trainer.dispatch import client; from trainer.runs import runs_folder; "
                "client.shutdown(runs_folder())"
            )
    return 0 if all(kept) else 1


def _run_all(lab: str) -> list[Outcome]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda seed: _run(lab, seed), SEEDS))


def _run(lab: str, seed: int) -> Outcome:
    command = [sys.executable, "-m", "labs", "run", lab, "--seed", str(seed), "--device", "cpu"]
    # A learner of its own for each seed, so that fair share does not queue them.
    command += ["--learner", f"seed-{seed}", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    ended = _last_line(done.stdout)
    finding: dict[str, Any] = ended.get("finding") or {}
    return Outcome(
        lab=lab,
        seed=seed,
        finding=f"{finding['name']} {finding['value']:.3g}" if finding else "",
        surprise=ended.get("surprise"),
        seconds=float(ended.get("seconds") or 0.0),
        error="" if done.returncode == 0 else done.stderr[-300:],
    )


def _last_line(printed: str) -> dict[str, Any]:
    lines = printed.strip().splitlines()
    found: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    return found


def _show(lab: str, outcomes: list[Outcome]) -> bool:
    shown = sum(outcome.surprise is True for outcome in outcomes)
    print(f"\n{lab}: the surprise showed in {shown} of {len(outcomes)} seeds\n")
    print("  seed  finding                           surprise  seconds")
    for one in outcomes:
        print(
            f"  {one.seed:4}  {one.finding:32}  {one.surprise!s:8}  {one.seconds:7.1f}  {one.error}"
        )
    sys.stdout.flush()
    return shown >= NEEDED


def _labs() -> list[str]:
    listed = subprocess.run(
        [sys.executable, "-m", "labs", "list", "--json"], capture_output=True, text=True, check=True
    )
    return [lab["id"] for lab in json.loads(listed.stdout)]


def _call(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
