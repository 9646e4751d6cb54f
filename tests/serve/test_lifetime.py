"""The endpoint's life: one a folder, started by whoever asks, ended by kill, stop or idleness."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

import install
from tests.serve.making import Made, call, crown, put, wait
from trainer.dispatch import client as dispatch
from trainer.errors import BadState
from trainer.process import Identity, identity
from trainer.serve import client, place
from trainer.serve.client import Endpoint


def test_one_is_started_where_none_lives_and_a_killed_one_is_replaced_at_once(
    runs: Path, made: Made
) -> None:
    put(runs, 1, made)
    crown(runs, 1)
    with ThreadPoolExecutor(2) as pool:
        first, same = pool.map(client.ensure, [runs, runs])
    assert first == same == client.ensure(runs) == client.running(runs)
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
    assert not client.shutdown(runs)
    assert named(runs) == []


def test_an_endpoint_that_is_gone_is_said_to_be_gone(runs: Path) -> None:
    nobody = Endpoint(address="http://127.0.0.1:9", process=identity(), started=0)
    with pytest.raises(BadState, match="did not answer"):
        client.ask(nobody, "local", "text")
    (runs / place.FILE).write_text("{")
    assert client.running(runs) is None
    own = identity().as_dict()
    reused = own | {"started": own["started"] - 1}  # the number of a process that has ended
    told = {"address": nobody.address, "started_at": 0} | reused
    (runs / place.FILE).write_text(json.dumps(told))
    assert client.running(runs) is None


def test_it_leaves_when_nobody_has_asked_for_long_and_looking_on_is_not_asking(
    tmp_path: Path,
) -> None:
    file = tmp_path / "private.json"
    with client.private(tmp_path, file, "--idle-s", "0.5") as endpoint:
        for path in ("/v2/health/live", "/metrics"):
            assert call(endpoint.address + path).status == 200
        wait(lambda: not endpoint.process.is_alive, "it has left")
        assert not file.exists()


def test_a_private_one_ends_with_its_parent_and_stays_in_its_group(tmp_path: Path) -> None:
    file = tmp_path / "private.json"
    code = (
        "import sys, time; from pathlib import Path; from trainer.serve import client\n"
        "with client.private(Path(sys.argv[1]), Path(sys.argv[2]), '--extra', 'timed:1:1') as e:\n"
        "    print(e.address, flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", code, str(tmp_path), str(file)]
    parent = subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=install.ROOT, start_new_session=True
    )
    with parent:
        assert parent.stdout
        assert parent.stdout.readline()
        child = Identity.read(file)
        assert child
        assert child.is_alive
        assert os.getpgid(child.pid) == parent.pid
        parent.kill()
    wait(lambda: not child.is_alive, "it has followed its parent")


def test_others_on_the_network_need_a_token(tmp_path: Path) -> None:
    file = tmp_path / "private.json"
    with (
        pytest.raises(BadState, match="STAGECOACH_TOKEN"),
        client.private(tmp_path, file, "--host", "0.0.0.0"),
    ):
        raise AssertionError("it started")


def test_with_a_token_nothing_is_answered_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAGECOACH_TOKEN", "open sesame")
    file = tmp_path / "private.json"
    options = ("--host", "0.0.0.0", "--extra", "timed:1:1")
    with client.private(tmp_path, file, *options) as endpoint:
        assert client.state(endpoint, "timed")["version"] == "1"
        assert call(f"{endpoint.address}/v2").status == 403
        told = call(f"{endpoint.address}/v2", Authorization="Bearer open sesame", Host="desk")
        assert told.status == 200


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--max-batch", "0"), "between 1 and 128"),
        (("--queue-s", "soon"), "invalid"),
        (("--extra", "nonsense"), "there is no extra"),
    ],
)
def test_options_that_cannot_be_obeyed_are_said(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    command = [sys.executable, "-m", "trainer.serve", str(tmp_path), *options]
    state = ["--state", str(tmp_path / "private.json")]
    ended = subprocess.run(
        [*command, *state], cwd=install.ROOT, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode != 0
    assert words in ended.stderr
    assert not (tmp_path / "private.json").exists()


def named(runs: Path) -> list[str]:
    """Living processes with this folder in their command line."""
    found = [" ".join(one.info["cmdline"] or []) for one in psutil.process_iter(["cmdline"])]
    return [words for words in found if str(runs) in words]
