"""All-reduce by hand, three ways, over counted links; each leaves the sum with every rank.

Legend: n ranks, a message of S bytes. The ring is that of Patarasuk and Yuan (2009), in which each
rank sends 2 (n - 1) / n S. Who runs the ranks and what is asked of them is left to others.
"""

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.links import Links

Floats = NDArray[np.float32]
Algorithm = Callable[[Links, Floats], None]


def all_to_one(links: Links, values: Floats) -> None:
    """Rank 0 takes everybody's message, adds them up and sends the sum to each: (n - 1) S."""
    if links.rank:
        links.send(0, values)
        links.receive(0, values)
        return
    others = range(1, links.world_size)
    came = np.empty_like(values)
    for rank in others:
        links.receive(rank, came)
        values += came
    for rank in others:
        links.send(rank, values)


# region ring
def ring(links: Links, values: Floats) -> None:
    """Each rank hands one part to its right neighbour in each of 2 (n - 1) turns."""
    n, me = links.world_size, links.rank
    right, left = (me + 1) % n, (me - 1) % n
    parts = np.array_split(values, n)  # views: the first parts hold one number more
    came = np.empty_like(parts[0])
    for turn in range(n - 1):  # sums grow on their way round the ring
        give, take = (me - turn) % n, (me - turn - 1) % n
        room = came[: len(parts[take])]
        links.exchange(right, parts[give], left, room, part=give)
        parts[take] += room
    for turn in range(n - 1):  # each finished sum goes round once more
        give, take = (me - turn + 1) % n, (me - turn) % n
        links.exchange(right, parts[give], left, parts[take], part=give)


# endregion


def tree(links: Links, values: Floats) -> None:
    """Pairs add up, then pairs of pairs, up to rank 0; the sum comes down the same branches."""
    n, me, span = links.world_size, links.rank, 1
    came = np.empty_like(values)
    while span < n and not me & span:
        if me + span < n:
            links.receive(me + span, came)
            values += came
        span *= 2
    if me:
        links.send(me - span, values)
        links.receive(me - span, values)
    while span > 1:
        span //= 2
        if me + span < n:
            links.send(me + span, values)


ALGORITHMS: dict[str, Algorithm] = {"all-to-one": all_to_one, "ring": ring, "tree": tree}


def vector(seed: int, rank: int, size: int) -> Floats:
    """The numbers that a rank brings, between -1 and 1: the same for the same seed."""
    draw = np.random.default_rng([seed, rank, size])
    return draw.random(size, dtype=np.float32) * 2 - 1


@lru_cache(maxsize=1)
def reference(seed: int, world_size: int, size: int) -> NDArray[np.float64]:
    """The sum over all ranks, added up in double precision."""
    total = np.zeros(size)
    for rank in range(world_size):
        total += vector(seed, rank, size)
    return total


def barrier(links: Links) -> None:
    """Return when every rank has come here: each round doubles how many a rank knows of."""
    word, span = np.zeros(2, dtype=np.uint8), 1
    while span < links.world_size:
        to, source = (links.rank + span) % links.world_size, (links.rank - span) % links.world_size
        links.exchange(to, word[:1], source, word[1:])
        span *= 2


def measure(links: Links, order: Mapping[str, Any]) -> dict[str, Any]:
    """One all-reduce as a rank lives it: when it began and ended, what it sent, how far it is off.

    `order` holds `algorithm`, `size` (numbers in the message) and `seed`. Times are those of the
    machine's monotonic clock, which all ranks share.
    """
    seed, size = int(order["seed"]), int(order["size"])
    values = vector(seed, links.rank, size)
    barrier(links)
    links.clear()
    begun = time.monotonic()
    ALGORITHMS[order["algorithm"]](links, values)
    ended = time.monotonic()
    off = float(np.max(np.abs(values - reference(seed, links.world_size, size)), initial=0.0))
    times = {"begun": begun, "ended": ended}
    return times | {"sent": links.sent, "log": links.log, "error": off}
