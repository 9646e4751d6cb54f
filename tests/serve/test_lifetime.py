"""The endpoint's life: one a folder, started by whoever asks, ended by kill, stop, idleness."""

import os
import signal
from pathlib import Path

from tests.serve.making import Made, crown, put, wait
from trainer.dispatch import client as dispatch
from trainer.serve import client, place


def test_one_is_started_where_none_lives_and_a_killed_one_is_replaced_at_once(
    runs: Path, made: Made
) -> None:
    put(runs, 1, made)
    crown(runs, 1)
    first = client.ensure(runs)
    assert client.ensure(runs) == first == client.running(runs)
    assert client.ask(first, "local", "OLT081 ; WARN linkDown | digger").version == "1"
    os.kill(first.process.pid, signal.SIGKILL)
    wait(lambda: not first.process.is_alive, "it is gone")
    assert (runs / place.FILE).exists()
    assert client.running(runs) is None
    second = client.ensure(runs)
    assert second.process.pid != first.process.pid
    assert client.ask(second, "local", "OLT081").batch_rows == 1
    dispatch.shutdown(runs)  # what `make stop` does
    assert not second.process.is_alive
    assert not (runs / place.FILE).exists()
    assert client.shutdown(runs) is False
