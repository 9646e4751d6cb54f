"""What a model has answered so far: counts, sums and a histogram, as JSON and for Prometheus."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

OUTCOMES = ("answered", "refused", "shed", "expired", "failed")


@dataclass
class Stats:
    """One model's counters, over all its versions.

    Of requests: `answered`; `refused` as bad; `shed` because they would have waited too long;
    `expired` in the queue; `failed` in the model. `queue_s` and `compute_s` are summed over
    answered requests, `busy_s` over batches. `changes` are the versions and since when each is the
    current one.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    batches: Counter[int] = field(default_factory=Counter)  # rows -> how many such batches
    queue_s: float = 0.0
    compute_s: float = 0.0
    busy_s: float = 0.0
    changes: list[dict[str, Any]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def count(self, outcome: str, times: int = 1) -> None:
        """Count requests that were not answered."""
        assert outcome in OUTCOMES
        with self._lock:
            self.outcomes[outcome] += times

    def add(self, rows: int, seconds: float, waits: Sequence[float]) -> None:
        """Count an answered batch; `waits` are the seconds that its requests stood in the queue."""
        with self._lock:
            self.outcomes["answered"] += len(waits)
            self.rows += rows
            self.batches[rows] += 1
            self.queue_s += sum(waits)
            self.compute_s += seconds * len(waits)
            self.busy_s += seconds

    def change(self, version: str) -> None:
        """Note that another version answers from now on."""
        self.changes.append({"version": version, "t": round(time.time(), 3)})

    def as_dict(self) -> dict[str, Any]:
        """Return all counters; sums of time in microseconds."""
        with self._lock:
            return {
                "requests": {name: self.outcomes[name] for name in OUTCOMES},
                "rows": self.rows,
                "batches": sum(self.batches.values()),
                "batch_rows": {str(rows): self.batches[rows] for rows in sorted(self.batches)},
                "queue_us": int(self.queue_s * 1e6),
                "compute_us": int(self.compute_s * 1e6),
                "busy_us": int(self.busy_s * 1e6),
                "changes": list(self.changes),
            }


def prometheus(models: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """Return the counters of all models in Prometheus' text format.

    Each model comes with `as_dict()` and with `queue_rows` and `is_ready`.
    """
    lines: dict[str, list[str]] = {name: [] for name in _KINDS}
    for model, told in models:
        label = f'model="{model}"'
        for outcome in OUTCOMES:
            value = told["requests"][outcome]
            lines["requests_total"].append(f'{{{label},outcome="{outcome}"}} {value}')
        for name in ("queue", "compute", "busy"):
            lines[f"{name}_seconds_total"].append(f"{{{label}}} {told[f'{name}_us'] / 1e6:.6f}")
        lines["queue_rows"].append(f"{{{label}}} {told['queue_rows']}")
        lines["ready"].append(f"{{{label}}} {int(told['is_ready'])}")
        lines["batch_rows"] += _histogram(label, told)
    return "".join(_family(name, kind, lines[name]) for name, kind in _KINDS.items())


_KINDS = {
    "requests_total": "counter",
    "queue_seconds_total": "counter",
    "compute_seconds_total": "counter",
    "busy_seconds_total": "counter",
    "queue_rows": "gauge",
    "ready": "gauge",
    "batch_rows": "histogram",
}
_HELP = {
    "requests_total": "Requests by what became of them.",
    "queue_seconds_total": "Time that answered requests stood in the queue.",
    "compute_seconds_total": "Time that answered requests were computed, a batch for each of its.",
    "busy_seconds_total": "Time that the model computed, each batch once.",
    "queue_rows": "Rows that wait now.",
    "ready": "1 if the model answers.",
    "batch_rows": "Rows of a batch.",
}
_BOUNDS = (1, 2, 4, 8, 16, 32, 64, 128)


def _histogram(label: str, told: dict[str, Any]) -> list[str]:
    sizes = {int(rows): times for rows, times in told["batch_rows"].items()}
    below = [sum(t for rows, t in sizes.items() if rows <= bound) for bound in _BOUNDS]
    total = told["batches"]
    pairs = [*zip(map(str, _BOUNDS), below, strict=True), ("+Inf", total)]
    lines = [f'_bucket{{{label},le="{bound}"}} {value}' for bound, value in pairs]
    return [*lines, f"_sum{{{label}}} {told['rows']}", f"_count{{{label}}} {total}"]


def _family(name: str, kind: str, lines: list[str]) -> str:
    full = f"stagecoach_{name}"
    head = f"# HELP {full} {_HELP[name]}\n# TYPE {full} {kind}\n"
    return head + "".join(f"{full}{line}\n" for line in lines)
