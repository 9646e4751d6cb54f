"""All-reduce with a rank that is killed at the largest message."""

import os
import signal
from collections.abc import Mapping
from typing import Any

from labs import all_reduce
from tests.labs import apart
from trainer.links import Links

_MEASURE = all_reduce.measure


def _dies_at_the_largest(links: Links, order: Mapping[str, Any]) -> dict[str, Any]:
    if links.rank == 1 and order["size"] * 4 == 16 * 1024:
        os.kill(os.getpid(), signal.SIGKILL)
    return _MEASURE(links, order)


def main(*words: str) -> int:
    all_reduce.measure = _dies_at_the_largest
    return apart.main(*words)
