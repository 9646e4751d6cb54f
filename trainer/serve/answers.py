"""What came back of a load: one line an answer, and the figures of many of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Self

import orjson

from trainer.serve.formula import percentile

ANSWERED, SHED = 200, 503
LATE_MS, LATE_SHARE = 1.0, 0.25  # a generator later than both measured itself as well


@dataclass(frozen=True, slots=True)
class Answer:
    """One request: `due_s` after the load began, all times counted from there.

    `late_ms` is the generator's own, and part of `latency_ms`. `status` is 0 where no answer came.
    `rows` is the size of the batch it went in; `inside` how many others were under way.
    """

    due_s: float
    late_ms: float
    latency_ms: float
    status: int
    queue_ms: float
    compute_ms: float
    rows: int
    version: str
    inside: int

    def line(self) -> bytes:
        """One line of JSON."""
        return orjson.dumps(list(asdict(self).values())) + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> Self:
        """What `line` gave."""
        return cls(*orjson.loads(line))


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Many answers in figures. Percentiles and means are of what was answered, nothing else.

    `per_s` counts answers from the first request that was due to the last answer; `outside_ms` is
    the median of what a request spent neither in the queue nor in the model.
    """

    sent: int
    answered: int
    shed: int
    failed: int
    per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    mean_ms: float
    queue_ms: float
    compute_ms: float
    outside_ms: float
    mean_rows: float
    inside: float
    late_p99_ms: float

    @property
    def is_late(self) -> bool:
        """Whether the generator itself was held up, so that the point is not to be trusted."""
        return self.late_p99_ms > max(LATE_MS, LATE_SHARE * self.p99_ms)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, with whether it was late."""
        return asdict(self) | {"is_late": self.is_late}


def figures(answers: Sequence[Answer]) -> Figures | None:
    """The figures of these answers; None where none of them was answered."""
    good = [one for one in answers if one.status == ANSWERED]
    if not good:
        return None
    times = [one.latency_ms for one in good]
    start = min(one.due_s for one in answers)
    end = max(one.due_s + one.latency_ms / 1000 for one in good)
    shed = sum(one.status == SHED for one in answers)
    return Figures(
        sent=len(answers),
        answered=len(good),
        shed=shed,
        failed=len(answers) - len(good) - shed,
        per_s=len(good) / max(end - start, 1e-9),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        p99_ms=percentile(times, 0.99),
        mean_ms=fmean(times),
        queue_ms=fmean(one.queue_ms for one in good),
        compute_ms=fmean(one.compute_ms for one in good),
        outside_ms=percentile(
            [one.latency_ms - one.queue_ms - one.compute_ms for one in good], 0.5
        ),
        mean_rows=fmean(one.rows for one in good),
        inside=fmean(one.inside for one in answers),
        late_p99_ms=percentile([one.late_ms for one in answers], 0.99),
    )


def batches(answers: Sequence[Answer], rows: int) -> dict[int, float]:
    """How many batches of each size went, worked out of the answers with `rows` rows each.

    A batch of n rows stands in n / `rows` answers, so with all answers there these are whole
    numbers, and the batches add up to the rows.
    """
    sizes = Counter(one.rows for one in answers if one.status == ANSWERED)
    return {size: count * rows / size for size, count in sorted(sizes.items())}
