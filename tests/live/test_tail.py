import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.live.conftest import RUN
from tests.live.writer import Writer
from trainer import events
from trainer.stream import Hub, word

Message = dict[str, Any]
Updates = AsyncGenerator[bytes, None]


async def take(updates: Updates, holds: Callable[[Message], object]) -> list[Message]:
    """The messages up to the first for which `holds` is true; at most 20 s."""
    taken: list[Message] = []
    async with asyncio.timeout(20):
        async for message in updates:
            taken.append(json.loads(message))
            if holds(taken[-1]):
                return taken
    raise AssertionError(f"the stream ended: {taken[-1:]}")


def steps(messages: list[Message], name: str = "train/loss") -> list[int]:
    """The steps a reader has after these messages."""
    known: list[int] = []
    for message in messages:
        if message["reset"]:
            known = []
        known += [step for step, _, _ in message["series"].get(name, [])]
    return known


def status_is(wanted: str) -> Callable[[Message], bool]:
    return lambda message: message.get("status", {}).get("word") == wanted


def follow(runs: Path, story: Callable[[Hub], Any]) -> None:
    """Runs a story with a hub of its own and closes it."""

    async def whole() -> None:
        hub = Hub(runs)
        try:
            await story(hub)
        finally:
            await hub.close()

    asyncio.run(whole())


def test_a_half_written_line_waits_for_its_end(runs: Path, writer: Writer) -> None:
    whole = writer.event("metrics", 1, **{"train/loss": 0.5})

    async def story(hub: Hub) -> None:
        async with aclosing(hub.updates(RUN)) as updates:
            await take(updates, lambda message: message.get("status"))
            tail = hub._tails[RUN]
            with (writer.folder / events.FILE).open("ab", buffering=0) as file:
                file.write(whole[:25])
                assert not tail._read()
                file.write(whole[25:])
            assert steps(await take(updates, lambda message: message["series"])) == [1]
            assert tail.history.malformed == 0

    follow(runs, story)


def test_a_returning_tab_loses_and_repeats_nothing(runs: Path, writer: Writer) -> None:
    writer.start(100)
    writer.train(1, 2)

    async def story(hub: Hub) -> None:
        async with aclosing(hub.updates(RUN)) as stays:
            known = await take(stays, status_is("running"))
            for first in range(3, 30, 3):
                writer.train(first, first + 2)
                known += await take(stays, lambda m, last=first + 2: m["step"] == last)
            left_at = next(message["at"] for message in known if message["step"] == 17)
            before = [message for message in known if message["at"] <= left_at]
            async with aclosing(hub.updates(RUN, left_at)) as returns:
                after = await take(returns, lambda message: message["step"] == 29)
        assert not any(message["reset"] for message in after)
        assert steps(before + after) == list(range(1, 30))

    follow(runs, story)


def test_a_tab_from_before_a_restart_gets_the_rest_or_a_fresh_history(
    runs: Path, writer: Writer
) -> None:
    writer.start(100)
    writer.train(1, 40)

    async def story(hub: Hub) -> None:
        async with aclosing(hub.updates(RUN, 77)) as updates:
            messages = await take(updates, lambda message: message["step"] == 40)
        assert messages[0]["reset"]
        assert steps(messages) == list(range(1, 41))

    follow(runs, story)


def test_a_resume_drops_the_points_that_are_computed_again(runs: Path, writer: Writer) -> None:
    writer.start(100)
    writer.train(1, 30)

    async def story(hub: Hub) -> None:
        async with aclosing(hub.updates(RUN)) as updates:
            known = await take(updates, status_is("running"))
            writer.end("KILLED", 30, "stopped by the learner")
            known += await take(updates, status_is("stopped"))
            writer.start(100, resumed_from=20)
            writer.train(21, 25)
            known += await take(updates, lambda message: message["step"] == 25)
            assert steps(known) == list(range(1, 26))

    follow(runs, story)


def test_a_killed_worker_is_seen_as_failed_though_it_wrote_nothing(
    runs: Path, writer: Writer, worker: Callable[..., subprocess.Popen[bytes]]
) -> None:
    process = worker("--upto", "20", "--end", "")

    async def story(hub: Hub) -> None:
        async with aclosing(hub.updates(RUN)) as updates:
            await take(updates, lambda message: message["step"] == 20)
            os.kill(process.pid, signal.SIGKILL)
            last = (await take(updates, status_is("failed")))[-1]
            assert "killed at step 20" in last["status"]["reason"]

    follow(runs, story)


def test_place_in_the_queue_is_told_and_follows_the_line(runs: Path, writer: Writer) -> None:
    folder = runs / ".dispatcher"
    folder.mkdir(exist_ok=True)

    def line_up(*ids: str) -> None:
        rows = [{"id": one, "place": i + 1, "wait_s": 20.0 * i} for i, one in enumerate(ids)]
        events.replace(folder / "queue.json", json.dumps(rows).encode())

    async def story(hub: Hub) -> None:
        line_up("other", "another", RUN)
        async with aclosing(hub.updates(RUN)) as updates:
            first = (await take(updates, status_is("queued")))[-1]["status"]
            assert (first["place"], first["places"], first["wait_s"]) == (3, 3, 40.0)
            line_up(RUN)
            moved = await take(updates, lambda m: m.get("status", {}).get("place") == 1)
            assert moved[-1]["status"]["places"] == 1
            line_up()
            await take(updates, status_is("starting"))

    follow(runs, story)


def test_thirty_viewers_share_one_tail_that_goes_with_the_last(runs: Path, writer: Writer) -> None:
    writer.start(100)
    writer.train(1, 10)

    async def story(hub: Hub) -> None:
        streams = [hub.updates(RUN) for _ in range(30)]
        histories = [await take(stream, lambda m: m["series"]) for stream in streams]
        assert {len(steps(history)) for history in histories} == {10}
        assert len(hub._tails) == 1
        for stream in streams:
            await stream.aclose()
        assert hub._tails == {}

    follow(runs, story)


def test_a_run_that_is_moved_away_is_said_to_be_gone(runs: Path, writer: Writer) -> None:
    writer.start(100)

    async def story(hub: Hub) -> None:
        async with aclosing(hub.updates(RUN)) as updates:
            await take(updates, lambda message: message.get("status"))
            (runs / "trash").mkdir()
            writer.folder.rename(runs / "trash" / RUN)
            await take(updates, status_is("gone"))
        async with aclosing(hub.updates(RUN)) as updates:
            assert status_is("gone")((await take(updates, lambda message: True))[0])

    follow(runs, story)


def test_values_that_are_no_numbers_travel_as_words(runs: Path, writer: Writer) -> None:
    writer.start(100)
    writer.append(writer.event("metrics", 1, **{"train/loss": float("nan")}))
    writer.append(writer.event("metrics", 2, **{"train/loss": float("inf")}))

    async def story(hub: Hub) -> None:
        async with aclosing(hub.updates(RUN)) as updates:
            messages = await take(updates, lambda message: message["series"])
            values = [value for _, value, _ in messages[-1]["series"]["train/loss"]]
            assert values == ["nan", "inf"]

    follow(runs, story)


def test_the_machine_is_read_once_for_all_who_look(runs: Path) -> None:
    async def story(hub: Hub) -> None:
        streams = [hub.machine() for _ in range(3)]
        texts = await asyncio.gather(*(anext(stream) for stream in streams))
        assert len(set(texts)) == 1
        reading = json.loads(texts[0])["machine"]
        assert reading["origin"] == "M"
        assert 0 <= reading["cpu_pct"] <= 100 * reading["cores"]
        assert 0 < reading["memory_used_gib"] < reading["memory_total_gib"]
        for stream in streams:
            await stream.aclose()

    follow(runs, story)


@pytest.mark.parametrize(
    ("status", "expected"),
    [("FINISHED", "finished"), ("KILLED", "stopped"), ("FAILED", "failed")],
)
def test_page_and_stream_use_the_same_word(writer: Writer, status: str, expected: str) -> None:
    assert word(writer.folder) == "starting"
    writer.start(10)
    writer.train(1, 10)
    assert word(writer.folder) == "running"
    writer.end(status, 10)
    assert word(writer.folder) == expected
    assert word(writer.folder.with_name("20261130-101512-nothing-0000")) == "gone"


def test_the_reading_comes_with_the_first_look_rarely_in_between_and_at_the_end(
    runs: Path, writer: Writer
) -> None:
    writer.start(800)
    writer.train(1, 600)

    async def story(hub: Hub) -> None:
        async with aclosing(hub.updates(RUN)) as updates:
            (first, *_) = await take(updates, lambda message: message["reset"])
            found = first["reading"]["charts"]["loss"]
            assert found["kind"] == "overfitting"
            assert 150 <= found["since"] <= 350
            told = []
            for step in range(601, 606):  # more ticks than sentences
                writer.train(step, step)
                told += await take(updates, lambda message: message["series"])
            assert sum("reading" in message for message in told) <= 2
            writer.end("FINISHED", 605)
            last = await take(updates, status_is("finished"))
            assert any("reading" in message for message in last)

    follow(runs, story)
