"""A run's own endpoint with a load generator beside it, ready for trials."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from trainer.serve import formula, told
from trainer.serve.formula import Batching, Service
from trainer.serve.generator import Generator
from trainer.serve.made import Shelf
from trainer.serve.order import LONGEST_S, Order
from trainer.serve.private import WIDE, Limits, Private
from trainer.serve.told import Clock
from trainer.serve.trial import Trial

Loads = Sequence[dict[str, Any]]


@dataclass(kw_only=True)
class Serving:
    """What is served and how.

    Attributes:
        bare: S(n) as the endpoint measured it before it opened, `(rows, ms)`.
        measured: loads on the model that was chosen; `beside`: on the learner's own.
    """

    name: str
    limits: Limits
    bare: list[tuple[int, float]]
    service: Service
    measured: Trial
    beside: Trial
    _lines: dict[float, list[dict[str, float]]] = field(default_factory=dict)

    def pictures(self, loads: Loads) -> dict[str, Any]:
        """What to show, by name; two loads tell what the machine can do, the others are points."""
        limit = self.limits.max_batch
        text = told.pbtxt(self.name, limit, self.limits.delay_ms)
        shown: dict[str, Any] = {"bare": told.bare(self.bare, self.service, limit)}
        shown["triton"] = {"text": text, "language": "protobuf"}
        if len(loads) > 2:
            idle, full, *points = loads
            clock = self._clock(idle, full)
            line = self._lines.setdefault(full["per_s"], clock.line(1.1 * full["per_s"]))
            shown["trade"] = told.trade(points, line)
            shown["sizes"] = told.sizes(points, clock.sizes(points[-1]["per_s"]))
        return shown

    def _clock(self, idle: dict[str, Any], full: dict[str, Any]) -> Clock:
        delay = self.limits.delay_ms / 1000
        batching = Batching(limit=self.limits.max_batch, delay=delay, rows=self.limits.rows)
        return Clock.of(self.service, batching, idle, full)


@contextmanager
def serving(shelf: Shelf, limits: Limits) -> Iterator[Serving]:
    """Serve the shelf's champion, and where it is asked for the wide model, in this block.

    Raises:
        EndpointLost: if the endpoint dies or does not come up.
    """
    name = WIDE if limits.is_wide else shelf.model
    with Private(shelf.folder, limits) as endpoint, Generator(shelf.folder) as generator:
        endpoint.ready(shelf.model)
        bare = [(int(n), float(ms)) for n, ms in endpoint.ready(name)["bare"]]
        service = formula.fit(bare)
        assert service is not None

        def trial(model: str) -> Trial:
            requests = str(shelf.requests(limits.rows, is_wide=model == WIDE))
            order = Order(url=endpoint.url(model), requests=requests, seconds=LONGEST_S)
            return Trial(generator, endpoint, order, limits.rows)

        yield Serving(
            name=name,
            limits=limits,
            bare=bare,
            service=service,
            measured=trial(name),
            beside=trial(shelf.model),
        )
