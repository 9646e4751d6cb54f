"""What a lab shows of an endpoint under load, as plain values for pictures; draws nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trainer.serve import formula
from trainer.serve.formula import Batching, Passed, Service

RATES = 24  # at which the clock is asked
ARRIVALS = 3000  # at each of them
PARTS = ("p50", "p95", "p99")
KNEE = 3.0  # times the p95 of the lightest load
_PBTXT = """\
name: "{name}"
backend: "onnxruntime"
max_batch_size: {limit}
input [ {{ name: "tickets" data_type: TYPE_FP32 dims: [ -1 ] }} ]
output [ {{ name: "scores" data_type: TYPE_FP32 dims: [ -1 ] }} ]
instance_group [ {{ count: 1 kind: KIND_CPU }} ]
dynamic_batching {{ max_queue_delay_microseconds: {delay_us} }}
"""


@dataclass(frozen=True, kw_only=True)
class Clock:
    """The queue's own clock with measured times; `beyond_ms` is what else a request takes."""

    service: Service
    batching: Batching
    beyond_ms: float = 0.0

    @classmethod
    def of(
        cls,
        service: Service,
        batching: Batching,
        idle: Mapping[str, float],
        full: Mapping[str, float],
    ) -> "Clock":
        """Works out what the web takes for a request, from a lone caller and from many at once.

        It is no more than a lone one spends outside queue and model, and it lets through as many
        as were seen to pass; the rest of the lone one's time is spent beyond it.
        """
        outside = max(0.0, idle["outside_ms"])
        web = min(outside, 1000 / full["per_s"])
        limits = Batching(
            limit=batching.limit, delay=batching.delay, rows=batching.rows, web=web / 1000
        )
        return cls(service=service, batching=limits, beyond_ms=outside - web)

    def at(self, per_s: float, seed: int = 1) -> list[Passed]:
        """How requests fare that come at this rate."""
        times = formula.poisson(per_s, ARRIVALS / per_s, seed)
        return formula.simulate(times, self.service.seconds, self.batching)

    def line(self, most_per_s: float) -> list[dict[str, float]]:
        """Percentiles at rates up to this one."""
        found = []
        for place in range(1, RATES + 1):
            per_s = most_per_s * place / RATES
            taken = [1000 * one.latency + self.beyond_ms for one in self.at(per_s, place)]
            parts = {part: formula.percentile(taken, int(part[1:]) / 100) for part in PARTS}
            found.append({"per_s": per_s} | parts)
        return found

    def sizes(self, per_s: float) -> dict[str, float]:
        """Share of the batches by size, at one rate."""
        counts: dict[int, float] = {}
        for one in self.at(per_s):
            counts[one.rows] = counts.get(one.rows, 0.0) + self.batching.rows / one.rows
        return shares(counts)


def bare(points: Sequence[Sequence[float]], service: Service | None, limit: int) -> dict[str, Any]:
    """S(n) as measured without a server around it, and the line through it."""
    value: dict[str, Any] = {"rows": [[int(n), float(ms)] for n, ms in points], "limit": limit}
    if service is not None:
        value |= {"start_ms": service.start_ms, "row_ms": service.row_ms, "error": service.error}
    return value


def trade(
    points: Sequence[Mapping[str, Any]], line: Sequence[Mapping[str, float]]
) -> dict[str, Any]:
    """Throughput against percentiles: measured points, the computed line behind them, the knee."""
    kept = ("per_s", "is_late", "name", "inside", "mean_ms")
    drawn = [
        {name: one[name] for name in kept} | {part: one[f"{part}_ms"] for part in PARTS}
        for one in points
    ]
    return {"points": drawn, "computed": list(line), "times": KNEE, "knee": knee(points)}


def knee(points: Sequence[Mapping[str, Any]]) -> float | None:
    """Where p95 passes `KNEE` times the lightest load's, of points whose generator kept time."""
    return formula.knee(sound(points), KNEE)


def sound(points: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """Rate and p95 of the points whose generator kept time, the lightest first."""
    return sorted((one["per_s"], one["p95_ms"]) for one in points if not one["is_late"])


def sizes(points: Sequence[Mapping[str, Any]], expected: Mapping[str, float]) -> dict[str, Any]:
    """Batches by size at the lightest load and at the latest, in shares, and what was expected."""
    chosen = [points[0], points[-1]] if len(points) > 1 else [points[0]]
    groups = [{"name": one["name"], "shares": shares(one["batches"])} for one in chosen]
    return {"groups": groups, "expected": dict(expected)}


def shares(counts: Mapping[Any, float]) -> dict[str, float]:
    """Counts by size as shares of one, sizes in order."""
    total = sum(counts.values())
    return {str(size): counts[size] / total for size in sorted(counts, key=int)}


def pbtxt(name: str, limit: int, delay_ms: float) -> str:
    """The same controls for NVIDIA Triton: its `config.pbtxt`."""
    return _PBTXT.format(name=name, limit=limit, delay_us=round(1000 * delay_ms))
