"""The traces of many steps, kept small: what was called stands once, its times for every step."""

from dataclasses import dataclass, field
from typing import Any

from trainer.trace import Span


@dataclass(kw_only=True)
class Traces:
    """Steps whose calls are the same share a shape; all of it is plain JSON-able values.

    `Traces(**values)` reads what `as_dict` gave. A shape is a list of `[name, layer, depth,
    parent]`, a step is `[shape, starts, durations]`: whole nanoseconds, one number a call.
    """

    shapes: list[list[list[Any]]] = field(default_factory=list)
    steps: dict[str, list[Any]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON-able values, which `add` goes on to fill."""
        return {"shapes": self.shapes, "steps": self.steps}

    def add(self, step: int, spans: list[Span]) -> None:
        """Keep the trace of a step."""
        shape = [[span.name, span.layer, span.depth, span.parent] for span in spans]
        if shape not in self.shapes:
            self.shapes.append(shape)
        times = [[span.start_ns for span in spans], [span.duration_ns for span in spans]]
        self.steps[str(step)] = [self.shapes.index(shape), *times]

    def spans(self, step: int | str) -> list[Span]:
        """Return the trace of a step as it was added."""
        shape, starts, durations = self.steps[str(step)]
        return [
            Span(
                name=name,
                layer=layer,
                start_ns=start,
                duration_ns=duration,
                depth=depth,
                parent=parent,
            )
            for (name, layer, depth, parent), start, duration in zip(
                self.shapes[shape], starts, durations, strict=True
            )
        ]
