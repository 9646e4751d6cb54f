"""The load generator: drawn times, latency from the intended time, bounds, and no orphan."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.serve.desk import Desk, opened
from trainer.errors import BadSetting
from trainer.serve.answers import ANSWERED, Answer, batches, figures
from trainer.serve.formula import poisson
from trainer.serve.generator import Generator, LoadLost
from trainer.serve.order import Order

DEADLINE_S = 60.0
REQUESTS = [{"id": str(n), "inputs": []} for n in range(7)]


@pytest.fixture
def desk() -> Iterator[Desk]:
    with opened() as found:
        yield found


@pytest.fixture
def generator(tmp_path: Path) -> Iterator[Generator]:
    (tmp_path / "requests.json").write_text(json.dumps(REQUESTS))
    with Generator(tmp_path) as found:
        yield found


def order(desk: Desk, folder: Path, **asked: Any) -> Order:
    url = f"http://127.0.0.1:{desk.port}/v2/models/alarm-desk.local/infer"
    return Order(url=url, requests=str(folder / "requests.json"), **asked)


def answers(generator: Generator) -> list[Answer]:
    """All answers of a load, once it is done."""
    found: list[Answer] = []
    due = time.monotonic() + DEADLINE_S
    while not generator.is_done:
        found += generator.read()
        assert time.monotonic() < due
        time.sleep(0.005)
    return found


def test_an_open_loop_sends_what_was_drawn_and_loses_nothing(
    desk: Desk, generator: Generator, tmp_path: Path
) -> None:
    generator.start(order(desk, tmp_path, per_s=200, seconds=0.5, seed=4))
    found = answers(generator)
    drawn = poisson(200, 0.5, seed=4)
    assert sorted(one.due_s for one in found) == pytest.approx(drawn, abs=1e-6)
    assert generator.sent == len(drawn) == len(desk.bodies)
    assert {one.status for one in found} == {ANSWERED}
    assert all(one.latency_ms >= one.late_ms >= 0 for one in found)
    assert {(one.queue_ms, one.compute_ms, one.version) for one in found} == {(1.5, 2.5, "3")}


def test_the_requests_are_sent_in_turn(desk: Desk, generator: Generator, tmp_path: Path) -> None:
    generator.start(order(desk, tmp_path, per_s=100, seconds=0.3))
    answers(generator)
    sent = len(desk.bodies)
    assert sent > 7
    # They are on their way at the same time, so that one may overtake another.
    assert Counter(json.loads(body)["id"] for body in desk.bodies) == Counter(
        str(place % 7) for place in range(sent)
    )


def test_a_stall_is_seen_by_the_open_and_hidden_by_the_closed_loop(
    desk: Desk, generator: Generator, tmp_path: Path
) -> None:
    """The one caller that waits sends nothing meanwhile: its worst moment is sampled once."""
    desk.stall_at, desk.stall_s = 20, 0.5
    generator.start(order(desk, tmp_path, per_s=200, seconds=0.6))
    opened_loop = answers(generator)
    desk.bodies.clear()
    generator.start(order(desk, tmp_path, callers=1, seconds=0.6))
    closed_loop = answers(generator)
    slow = [sum(one.latency_ms > 150 for one in found) for found in (opened_loop, closed_loop)]
    assert slow[0] >= 40, "about 100 were due while the server stood still"
    assert 1 <= slow[1] <= 10
    assert slow[1] / len(closed_loop) < slow[0] / len(opened_loop)
    assert {one.inside for one in closed_loop} == {0}


def test_shed_requests_are_counted_and_never_averaged_in(
    desk: Desk, generator: Generator, tmp_path: Path
) -> None:
    desk.shed_every = 5
    generator.start(order(desk, tmp_path, per_s=200, seconds=0.5))
    told = figures(answers(generator))
    assert told is not None
    assert told.answered + told.shed + told.failed == told.sent == generator.sent
    assert (told.shed, told.failed) == (told.sent // 5, 0)
    assert told.queue_ms == 1.5


def test_requests_without_an_answer_count_as_failed(
    desk: Desk, generator: Generator, tmp_path: Path
) -> None:
    desk.is_silent = True
    generator.start(order(desk, tmp_path, per_s=40, seconds=0.2, timeout_s=0.2))
    found = answers(generator)
    assert {one.status for one in found} == {0}
    assert len(found) == generator.sent > 0
    assert figures(found) is None


def test_a_load_whose_owner_says_nothing_ends_by_itself(
    desk: Desk, generator: Generator, tmp_path: Path
) -> None:
    generator.start(order(desk, tmp_path, per_s=100, seconds=60, lease_s=0.3))
    found = answers(generator)
    assert max(one.due_s for one in found) < 30
    assert len(found) == generator.sent


def test_a_load_with_a_lease_goes_on_while_it_is_renewed_and_ends_when_told(
    desk: Desk, generator: Generator, tmp_path: Path
) -> None:
    generator.start(order(desk, tmp_path, per_s=100, seconds=60, lease_s=20))
    found: list[Answer] = []
    due = time.monotonic() + DEADLINE_S
    while len(found) < 40:
        assert time.monotonic() < due
        generator.more()
        found += generator.read()
        time.sleep(0.01)
    generator.end()
    found += answers(generator)
    assert len(found) == generator.sent


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "http://192.0.2.7:80/v2"},
        {"url": "http://localhost.example.org:80/v2"},
        {"url": "https://127.0.0.1:443/v2"},
        {"url": "http://127.0.0.1/v2"},
        {"seconds": 61},
        {"seconds": 0},
        {"per_s": 5000},
        {"callers": 257, "per_s": 0},
        {"callers": 4},
    ],
    ids=str,
)
def test_orders_beyond_the_bounds_are_refused(wrong: dict[str, Any]) -> None:
    asked = {"url": "http://127.0.0.1:80/v2", "requests": "", "seconds": 20, "per_s": 100}
    Order(**asked).check()
    with pytest.raises(BadSetting):
        Order(**(asked | wrong)).check()


def test_the_process_itself_refuses_another_machine(tmp_path: Path) -> None:
    """Whoever speaks to it directly meets the same bounds."""
    asked = {"url": "http://192.0.2.7:80/v2", "requests": "", "seconds": 1, "per_s": 1}
    line = json.dumps({"order": asked}) + "\n"
    command = [sys.executable, "-m", "trainer.serve.load"]
    told = subprocess.run(command, input=line, capture_output=True, text=True, timeout=DEADLINE_S)
    assert told.returncode != 0
    assert "this machine only" in told.stderr


def test_a_killed_generator_is_said_in_a_sentence(
    desk: Desk, generator: Generator, tmp_path: Path
) -> None:
    generator.start(order(desk, tmp_path, per_s=100, seconds=60))
    os.kill(generator.pid, signal.SIGKILL)
    with pytest.raises(LoadLost, match=r"killed by signal 9\. Resume"):
        answers(generator)


def test_no_generator_outlives_its_owner(desk: Desk, tmp_path: Path) -> None:
    """Killed with signal 9 in mid-load, the owner closes the pipe by dying."""
    (tmp_path / "requests.json").write_text(json.dumps(REQUESTS))
    asked = order(desk, tmp_path, per_s=50, seconds=60)
    code = (
        "import sys, time, pathlib\n"
        "from trainer.serve.generator import Generator\n"
        "from trainer.serve.order import Order\n"
        f"with Generator(pathlib.Path({str(tmp_path)!r})) as g:\n"
        f"    g.start(Order(**{asked.as_dict()!r}))\n"
        "    print(g.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert owner.stdout
    generator = psutil.Process(int(owner.stdout.readline()))
    owner.kill()
    owner.wait()
    owner.stdout.close()
    generator.wait(DEADLINE_S)
    assert not generator.is_running()


def test_batches_are_worked_out_of_the_answers() -> None:
    def one(rows: int) -> Answer:
        return Answer(0.0, 0.0, 1.0, ANSWERED, 0.0, 0.0, rows, "1", 0)

    assert batches([one(1), *[one(3)] * 6], rows=1) == {1: 1, 3: 2}
    assert batches([one(8)] * 4, rows=4) == {8: 2}


def test_an_answer_survives_its_line() -> None:
    found = Answer(0.5, 0.1, 7.25, ANSWERED, 1.5, 2.0, 4, "2", 3)
    assert Answer.parse(found.line()) == found
