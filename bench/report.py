"""Keeps a workload's result as JSON and prints it as a table; measuring is left to others."""

import datetime as dt
import json
import os
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a result: a figure with its interval, and what became of its target, if any.

    The target is the most that the figure may be, or the least where `is_least` says so.
    """

    name: str
    figure: float
    low: float
    high: float
    target: float | None = None
    verdict: str = ""
    is_least: bool = False


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one call of a workload measured; `notes` say what a reader must know to judge it."""

    workload: str
    rows: list[Row]
    verdict: str
    rounds: int
    void: int
    load: list[float]
    notes: list[str]


def keep(result: Result, packages: tuple[str, ...]) -> Path:
    """Writes the result over the one before it and appends its occasion to those that are kept."""
    place = RESULTS / f"{result.workload}.json"
    before = json.loads(place.read_text()) if place.exists() else {"occasions": []}
    date = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    main = result.rows[0]
    occasion = {"date": date, "figure": main.figure, "low": main.low, "high": main.high}
    occasion |= {"verdict": result.verdict, "load": result.load}
    body: dict[str, Any] = asdict(result) | {
        "occasions": [*before["occasions"], occasion],
        "machine": _machine(),
        "versions": {name: version(name) for name in packages} | {"python": _python()},
        "date": date,
    }
    place.write_text(json.dumps(body, indent=2) + "\n")
    return place


def show(result: Result) -> None:
    """Prints the rows, widest name first in mind."""
    wide = max(len(row.name) for row in result.rows)
    print(f"\n{result.workload}: {result.verdict} ({result.rounds} rounds, {result.void} void)\n")
    for row in result.rows:
        bound = "at least" if row.is_least else "at most"
        target = "" if row.target is None else f"  {bound} {row.target:g}: {row.verdict}"
        span = f"[{row.low:.3f}, {row.high:.3f}]"
        print(f"  {row.name:{wide}}  {row.figure:6.3f}  {span}{target}")
    print("\n" + "\n".join(f"  {note}" for note in result.notes))


def load() -> float:
    """The load average of the last minute."""
    return round(os.getloadavg()[0], 2)


def _machine() -> dict[str, Any]:
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    return {"cpu": model, "cores": os.cpu_count(), "system": platform.system()}


def _python() -> str:
    return platform.python_version()
