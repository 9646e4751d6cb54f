"""The queue and its thread, without HTTP: whose rows, what fails alone, what is never computed."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import numpy as np
import pytest

from tests.serve.inside import POISON, Doubling, column, flat
from tests.serve.making import wait
from trainer.serve.batcher import Batcher, Limits
from trainer.serve.stats import Stats
from trainer.serve.tensors import Array
from trainer.serve.wire import Refused

DEADLINE_S = 60.0


def on_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*values: Any, **named: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*values, **named), DEADLINE_S))

    return run


def batcher(model: Doubling, after: Batcher | None = None, **limits: Any) -> Batcher:
    options = Limits(**({"queue_s": None} | limits))
    return Batcher(model.forward, options, Stats(), flat(0.1), after=after)


async def held(model: Doubling, queue: Batcher) -> "asyncio.Future[Any]":
    """Closes the gate and sends a request that stands before it."""
    model.gate.clear()
    before, first = model.inside, queue.submit(column(0))
    await asyncio.to_thread(wait, lambda: model.inside > before, "the thread computes")
    return first


@on_a_loop
async def test_what_waits_becomes_one_batch_and_each_gets_its_own_rows() -> None:
    model = Doubling()
    queue = batcher(model, max_batch=8)
    first = await held(model, queue)
    futures = [queue.submit(column(*values)) for values in ((1, 2), (3,), (4, 5, 6))]
    model.gate.set()
    done = await asyncio.gather(*futures)
    assert [one.scores.ravel().tolist() for one in done] == [[2, 4], [6], [8, 10, 12]]
    assert {one.batch_rows for one in done} == {6}
    assert model.computed == [[0], [1, 2, 3, 4, 5, 6]]
    assert (await first).batch_rows == 1
    assert all(one.queue_s > 0 and one.compute_s >= 0 for one in done)
    queue.close()


@on_a_loop
async def test_no_batch_is_larger_than_its_limit_and_shapes_never_mix() -> None:
    model = Doubling()
    queue = batcher(model, max_batch=4)
    await held(model, queue)
    pairs = np.ones((1, 2), np.float32)
    feeds: list[Array] = [column(1), column(2), pairs, pairs, column(3, 4, 5), column(6, 7)]
    futures = [queue.submit(feed) for feed in feeds]
    model.gate.set()
    done = await asyncio.gather(*futures)
    assert [one.batch_rows for one in done] == [2, 2, 2, 2, 3, 2]
    assert all(np.array_equal(o.scores, 2 * f) for o, f in zip(done, feeds, strict=True))
    queue.close()


@on_a_loop
async def test_a_poisoned_request_fails_alone() -> None:
    model = Doubling()
    queue = batcher(model)
    await held(model, queue)
    futures = [queue.submit(column(value)) for value in (1, POISON, 2, 3)]
    model.gate.set()
    done = await asyncio.gather(*futures, return_exceptions=True)
    assert [float(one.scores[0, 0]) for one in done if not isinstance(one, BaseException)] == [
        2,
        4,
        6,
    ]
    failure = done[1]
    assert isinstance(failure, Refused)
    assert failure.status == 500
    assert "poison" in str(failure)
    assert queue.is_alive
    assert (await queue.submit(column(9))).scores[0, 0] == 18
    queue.close()


@on_a_loop
async def test_an_expired_request_is_never_computed() -> None:
    model = Doubling()
    queue = batcher(model)
    await held(model, queue)
    late, patient = queue.submit(column(1), timeout_s=1e-6), queue.submit(column(2), timeout_s=60)
    model.gate.set()
    with pytest.raises(Refused) as refused:
        await late
    assert refused.value.status == 504
    assert (await patient).scores[0, 0] == 4
    assert model.computed == [[0], [2]]
    queue.close()


@on_a_loop
async def test_what_would_wait_too_long_is_refused_with_a_time_to_come_back() -> None:
    model = Doubling()
    queue = batcher(model, max_batch=2, queue_s=0.25)  # a batch takes 0.1 s, as it is told
    first = await held(model, queue)
    taken, refusals = [], []
    for value in range(8):
        try:
            taken.append(queue.submit(column(value)))
        except Refused as refused:
            refusals.append(refused)
    assert 3 <= len(taken) <= 6  # one under way and two batches of two wait some 0.3 s
    assert all((one.status, one.retry_after_s) == (503, 1) for one in refusals)
    model.gate.set()
    assert len(await asyncio.gather(first, *taken)) == len(taken) + 1
    queue.close()


@on_a_loop
async def test_a_lone_request_waits_for_company_as_long_as_the_delay_says() -> None:
    model = Doubling()
    queue = batcher(model, delay_s=0.05)
    done = await queue.submit(column(1))
    assert done.queue_s >= 0.05
    full = batcher(model, delay_s=3600, max_batch=2)
    pair = await asyncio.gather(full.submit(column(1)), full.submit(column(2)))
    assert {one.batch_rows for one in pair} == {2}
    queue.close()
    full.close()


@on_a_loop
async def test_a_closed_queue_answers_what_it_holds_before_its_successor_computes() -> None:
    model = Doubling()
    old = batcher(model, max_batch=1)
    await held(model, old)
    futures = [old.submit(column(value)) for value in (1, 2, 3)]
    new = batcher(model, after=old)
    futures.append(new.submit(column(4)))
    old.close()
    model.gate.set()
    await asyncio.gather(*futures)
    assert model.computed == [[0], [1], [2], [3], [4]]
    await asyncio.to_thread(old.join, DEADLINE_S)
    assert not old.is_alive
    with pytest.raises(Refused):
        old.submit(column(5))
    new.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@on_a_loop
async def test_a_thread_that_dies_leaves_nobody_waiting() -> None:
    model = Doubling()
    queue = batcher(model, max_batch=1)
    first = await held(model, queue)
    second = queue.submit(column(1))
    model.is_dying = True
    model.gate.set()
    for future in (first, second):
        with pytest.raises(Refused) as refused:
            await future
        assert refused.value.status == 503
    await asyncio.to_thread(wait, lambda: not queue.is_alive, "the thread is dead")
    with pytest.raises(Refused):
        queue.submit(column(2))
