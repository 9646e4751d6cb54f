"""What the worker reads off while it trains: running time, and losses in one copy from a GPU."""

import time
from collections.abc import Iterator
from typing import Any

import torch

Pending = tuple[int, float, float, dict[str, Any]]  # step, Unix time, running seconds, figures


class Clock:
    """Running time in seconds: stands still while the run is paused."""

    def __init__(self, before_s: float) -> None:
        """Go on from `before_s` seconds of an earlier life."""
        self._before_s, self._since = before_s, time.monotonic()
        self._held = False

    def seconds(self) -> float:
        """Return the running time so far."""
        return self._before_s if self._held else self._before_s + time.monotonic() - self._since

    def hold(self) -> None:
        """Stand still."""
        self._before_s, self._held = self.seconds(), True

    def go(self) -> None:
        """Go on."""
        self._since, self._held = time.monotonic(), False


def read_values(
    pending: list[Pending],
) -> Iterator[dict[str, Any]]:
    """Return plain numbers for what was logged; all losses on a GPU come over in one copy."""
    far = [
        value
        for *_, metrics in pending
        for value in metrics.values()
        if isinstance(value, torch.Tensor) and value.device.type != "cpu"
    ]
    near = iter(torch.stack([value.float() for value in far]).tolist() if far else [])
    for *_, metrics in pending:
        yield {name: _number(value, near) for name, value in metrics.items()}


def _number(value: Any, near: Iterator[float]) -> float:
    if not isinstance(value, torch.Tensor):
        return float(value)
    return float(value) if value.device.type == "cpu" else next(near)
