"""Ranks agree on the exact sum for the exact bytes, and none outlives the block it was made in."""

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from trainer.collectives import ALGORITHMS, measure, reference, vector
from trainer.errors import RankLost
from trainer.links import Links
from trainer.ranks import Ranks

WORLDS = range(2, 9)
SIZES = [1, 5, 7, 1000, 100_003]  # numbers in a message; the last fills every socket
DEADLINE_S = 30.0


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def orders(size: int, algorithm: str) -> dict[str, Any]:
    return {"algorithm": algorithm, "size": size, "seed": 3}


def first_numbers(links: Links, order: Mapping[str, Any]) -> list[float]:
    values = vector(3, links.rank, order["size"])
    ALGORITHMS[order["algorithm"]](links, values)
    return [float(value) for value in values]


def messages(algorithm: str, world: int) -> list[int]:
    """Whole messages that each rank sends: to rank 0, and what comes back from there."""
    if algorithm == "all-to-one":
        return [world - 1] + [1] * (world - 1)
    parents = [rank & (rank - 1) for rank in range(1, world)]  # without its lowest bit
    return [parents.count(rank) + (rank > 0) for rank in range(world)]


@pytest.mark.parametrize("world", WORLDS)
def test_every_rank_sends_the_bytes_of_the_formula(world: int) -> None:
    with Ranks(world, measure) as ranks:
        for size in SIZES:
            whole = 4 * size
            for name in ("all-to-one", "tree"):
                sent = [answer["sent"] for answer in ranks.do(orders(size, name))]
                assert sent == [whole * count for count in messages(name, world)], (name, size)
            sent = [answer["sent"] for answer in ranks.do(orders(size, "ring"))]
            parts = [4 * len(part) for part in np.array_split(np.empty(size), world)]
            # A rank sends every part twice, but one of them once and another once.
            assert sent == [
                2 * whole - parts[(rank + 1) % world] - parts[(rank + 2) % world]
                for rank in range(world)
            ]
            assert sum(sent) == 2 * (world - 1) * whole


def test_a_ring_of_four_sends_one_and_a_half_messages_a_rank() -> None:
    with Ranks(4, measure) as ranks:
        for size in (1024, 4096, 262_144):
            assert {a["sent"] for a in ranks.do(orders(size, "ring"))} == {6 * size}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_every_rank_ends_with_the_sum_of_all(world: int, name: str) -> None:
    with Ranks(world, first_numbers) as ranks:
        for size in SIZES[:4]:
            expected = reference(3, world, size)
            for values in ranks.do(orders(size, name)):
                assert np.allclose(values, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_the_log_holds_every_byte_that_was_counted(name: str) -> None:
    with Ranks(5, measure) as ranks:
        for rank, answer in enumerate(ranks.do(orders(1001, name))):
            assert sum(send["bytes"] for send in answer["log"]) == answer["sent"]
            for send in answer["log"]:
                assert send["from"] == rank != send["to"]
                assert answer["begun"] <= send["begun"] <= send["ended"] <= answer["ended"]
            assert answer["error"] <= 1e-5


def test_no_process_is_left_after_an_end_or_an_error() -> None:
    with Ranks(3, measure) as ranks:
        first = list(ranks.pids)
        assert [os.getpgid(pid) for pid in first] == [os.getpgid(0)] * 3
    second = []
    with suppress(RuntimeError), Ranks(3, measure) as ranks:
        second += ranks.pids
        raise RuntimeError("stopped")
    assert len(second) == 3
    assert not any(lives(pid) for pid in first + second)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGUSR1])
def test_a_dead_rank_is_named_in_a_sentence(number: signal.Signals) -> None:
    with Ranks(4, measure) as ranks:
        pids = list(ranks.pids)
        ranks.do(orders(100, "ring"))
        os.kill(pids[2], number)
        with pytest.raises(RankLost, match=rf"^Rank 2 was killed by signal {number.value}; "):
            ranks.do(orders(100, "ring"))
    assert not any(lives(pid) for pid in pids)


def dies_halfway(links: Links, order: Mapping[str, Any]) -> None:
    if links.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    ALGORITHMS["ring"](links, vector(1, links.rank, order["size"]))


def test_a_rank_that_dies_while_others_wait_for_it_is_named_too() -> None:
    with Ranks(4, dies_halfway) as ranks, pytest.raises(RankLost, match=r"^Rank 1 was killed"):
        ranks.do({"size": 500_000})


def fails(links: Links, order: Mapping[str, Any]) -> None:
    if links.rank == 3:
        raise ValueError("no such thing")
    ALGORITHMS["ring"](links, vector(1, links.rank, order["size"]))


def test_an_error_in_a_rank_reaches_the_worker_as_a_sentence() -> None:
    with (
        Ranks(4, fails) as ranks,
        pytest.raises(RankLost, match=r"^Rank 3 failed: ValueError: no such thing"),
    ):
        ranks.do({"size": 500_000})


def test_ranks_ignore_a_stop_and_end_when_their_worker_dies() -> None:
    read, write = os.pipe()
    worker = os.fork()
    if worker == 0:
        with Ranks(3, measure) as ranks:
            ranks.do(orders(10, "ring"))
            os.write(write, " ".join(map(str, ranks.pids)).encode())
            signal.pause()
        os._exit(0)
    pids = [int(word) for word in os.read(read, 200).split()]
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    assert all(lives(pid) for pid in pids)
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    due = time.monotonic() + DEADLINE_S
    while any(runs(pid) for pid in pids) and time.monotonic() < due:
        os.sched_yield()
    assert not any(runs(pid) for pid in pids)
    os.close(read)
    os.close(write)


def runs(pid: int) -> bool:
    """Whether a process of no parent of ours runs: a zombie waits only to be collected."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
