"""Loads against an endpoint, read slice by slice while they run; logging is left to others."""

import time
from collections import Counter
from dataclasses import replace
from typing import Any

from trainer.serve.answers import ANSWERED, SHED, Answer, Figures, figures
from trainer.serve.generator import Generator
from trainer.serve.order import LONGEST_S, MOST_REQUESTS, Order
from trainer.serve.private import EndpointLost, Private

_LOOK_S = 0.01
_LEASE_S = 2.0
_PATIENCE_S = 30.0
_BECAME = {ANSWERED: "answered", SHED: "shed"}
_NONE = "The endpoint gave no answer. Resume starts another one."


class Trial:
    """The load that is under way, its answers so far, and the slice that was read last.

    `tally` counts requests of all loads that are over by what became of them: `sent`, `answered`,
    `shed`, `failed`, and answers by version.
    """

    def __init__(self, generator: Generator, private: Private, base: Order, rows: int) -> None:
        """`base` says where requests of `rows` rows come from and go to; each load varies it."""
        self._generator, self._private, self._base = generator, private, base
        self.rows = rows
        self.answers: list[Answer] = []
        self.tally: Counter[str] = Counter(sent=0, answered=0, shed=0, failed=0)
        self._slice: list[Answer] = []
        self._steady: dict[str, Any] | None = None
        self._looked = 0.0

    def begin(self, **asked: Any) -> None:
        """Start a load; see `Order` for what may be asked."""
        self._slice = []
        self._looked = time.monotonic()
        self._generator.start(replace(self._base, **asked))

    def steady(self, per_s: float, seed: int) -> None:
        """Start a load that lasts until `stop`; each look at it keeps it on.

        It has a lease, so that it ends when its owner pauses or dies.
        """
        longest = min(LONGEST_S, 0.9 * MOST_REQUESTS / per_s)
        self._steady = {"per_s": per_s, "seed": seed, "seconds": longest, "lease_s": _LEASE_S}
        self._keep_on()

    def slice(self, seconds: float = 0.0) -> dict[str, float]:
        """Wait so long, and until there is an answer; return the slice as figures to log.

        Raises:
            EndpointLost: if no answer came in a long time, or the endpoint is gone.
        """
        self._keep_on()
        due = self._looked + seconds
        last = due + _PATIENCE_S
        while not self._generator.is_done and (time.monotonic() < due or not self._is_heard()):
            self._read()
            if time.monotonic() > last:
                raise EndpointLost(_NONE)
            time.sleep(_LOOK_S)
        self._read()
        found = figures(self._slice) or figures(self.answers)
        if found is None:
            raise EndpointLost(_NONE)
        now = time.monotonic()
        count = sum(one.status == ANSWERED for one in self._slice)
        per_s, self._looked, self._slice = count / max(now - self._looked, 1e-3), now, []
        return _to_log(found, per_s)

    def finish(self) -> Figures:
        """Wait for every answer of the load and return its figures.

        Raises:
            EndpointLost: if nothing was answered.
        """
        while not self._generator.is_done:
            self._read()
            time.sleep(_LOOK_S)
        found = figures(self.answers)
        if found is None:
            raise EndpointLost(_NONE)
        return found

    def stop(self) -> None:
        """Let nothing more be sent, wait for the rest and tally it."""
        self._steady = None
        if not self._generator.is_done:
            self._generator.end()
        while not self._generator.is_done:
            self._read()
            time.sleep(_LOOK_S)
        self._settle()

    def until_version(self, number: int) -> None:
        """Wait until a version answers.

        Raises:
            EndpointLost: if it does not for a long time.
        """
        last = time.monotonic() + 2 * _PATIENCE_S
        while not self.has_version(number):
            if time.monotonic() > last:
                raise EndpointLost("The endpoint did not take the new version.")
            self._keep_on()
            time.sleep(_LOOK_S)

    def has_version(self, number: int) -> bool:
        """Whether a version has answered in this load."""
        self._read()
        return any(one.version == str(number) for one in self.answers)

    def take(self) -> list[Answer]:
        """Return the answers of the load and forget them."""
        found, self.answers = self.answers, []
        return found

    def _keep_on(self) -> None:
        if self._steady is None:
            return
        if self._generator.is_done:
            self._settle()
            self.begin(**self._steady)
        self._generator.more()

    def _is_heard(self) -> bool:
        return any(one.status == ANSWERED for one in self._slice)

    def _read(self) -> None:
        self._private.check()
        fresh = list(self._generator.read())
        self.answers += fresh
        self._slice += fresh

    def _settle(self) -> None:
        for one in self.answers:
            self.tally[_BECAME.get(one.status, "failed")] += 1
            if one.status == ANSWERED:
                self.tally[f"version {one.version}"] += 1
        self.tally["sent"] += self._generator.sent if self.answers else 0
        self.answers = []


def _to_log(found: Figures, per_s: float) -> dict[str, float]:
    """A slice as metrics; all of them are measured times or follow from some."""
    return {
        "p50/answer_ms": found.p50_ms,
        "p95/answer_ms": found.p95_ms,
        "p99/answer_ms": found.p99_ms,
        "queue/part_ms": found.queue_ms,
        "compute/part_ms": found.compute_ms,
        "rest/part_ms": max(0.0, found.mean_ms - found.queue_ms - found.compute_ms),
        "answered/requests_per_s": per_s,
        "mean/batch_rows": found.mean_rows,
    }
