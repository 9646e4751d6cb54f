"""Versions under load: swapped without a lost request, never by a broken one, never back."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import onnx
import pytest
from onnx import TensorProto

from tests.serve.inside import Doubling, serving
from tests.serve.making import NAME, Made, call, crown, put, text_body, wait
from tests.serve.open_loop import Heard, OpenLoop, went_back
from trainer.serve import client, models
from trainer.serve.batcher import Limits
from trainer.serve.client import Endpoint

SWAPS = 20
BODY = text_body("OLT081 S016 ; WARN linkDown ; CRIT lossOfSignal | cut by a digger")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def endpoint(runs: Path, made: Made) -> Iterator[Endpoint]:
    """One of version 1 whose queue has no bound."""
    put(runs, 1, made)
    crown(runs, 1)
    options = ("--queue-s", "off", "--model", NAME)
    with client.private(runs, runs / "private.json", *options) as found:
        yield found


def version(endpoint: Endpoint) -> str:
    return str(client.state(endpoint, NAME)["version"])


def problem(endpoint: Endpoint) -> str | None:
    told: str | None = client.state(endpoint, NAME)["problem"]
    return told


def ask(endpoint: Endpoint) -> str:
    return client.ask(endpoint, "local", "OLT081 ; linkDown").version


def test_twenty_swaps_under_load_lose_no_request_and_never_go_back(
    endpoint: Endpoint, runs: Path, made: Made, second: Made
) -> None:
    assert ask(endpoint) == "1"
    for number in range(2, SWAPS + 2):
        put(runs, number, (made, second)[number % 2])
    with OpenLoop(f"{endpoint.address}/v2/models/{NAME}/infer", BODY, rate=100) as load:
        for number in range(2, SWAPS + 2):
            crown(runs, number)
            wait(lambda n=number: version(endpoint) == str(n), f"version {number} answers")
    assert len(load.heard) == load.sent > SWAPS
    assert [one for one in load.heard if one.status != 200] == []
    assert went_back(load.heard) == []
    told = client.state(endpoint, NAME)
    assert told["requests"]["answered"] == load.sent + 1
    assert [change["version"] for change in told["changes"]] == [*map(str, range(1, SWAPS + 2))]
    points = json.loads((runs / "models" / NAME / f"bare-{SWAPS + 1}.json").read_text())["rows"]
    assert [rows for rows, _ in points] == [1, 2, 4, 8, 16, 32]
    assert all(ms > 0 for _, ms in points)


def test_the_check_of_the_order_sees_a_version_that_goes_back() -> None:
    good = [Heard(0, 1, 200, "1"), Heard(0.5, 3, 200, "1"), Heard(0.6, 2, 200, "2")]
    assert went_back(good) == []
    assert went_back([*good, Heard(2.5, 4, 200, "1")]) == [(good[2], Heard(2.5, 4, 200, "1"))]


def test_a_body_sent_slowly_across_a_swap_is_answered_by_the_new_version(
    endpoint: Endpoint, runs: Path, second: Made
) -> None:
    assert ask(endpoint) == "1"
    content = json.dumps(BODY).encode()
    place = urlsplit(endpoint.address)
    head = f"POST /v2/models/{NAME}/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    with socket.create_connection((place.hostname, place.port), 60) as line:
        line.sendall(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content[:20])
        put(runs, 2, second)
        crown(runs, 2)
        wait(lambda: version(endpoint) == "2", "version 2 answers")
        line.sendall(content[20:])
        answer = b""
        while part := line.recv(4096):
            answer += part
    assert b'"model_version":"2"' in answer


def test_a_broken_version_never_replaces_one_that_works(
    endpoint: Endpoint, runs: Path, made: Made, second: Made
) -> None:
    assert ask(endpoint) == "1"
    (put(runs, 2, second) / "model.onnx").write_bytes(made.onnx)
    put(runs, 3, Made(b"no model at all", made.config))
    put(runs, 4, Made(with_external_tensors(made.onnx), made.config))
    put(runs, 5, Made(made.onnx, made.config | {"alarms": ["linkDown"]}))
    put(runs, 6, Made(made.onnx, {}))
    reasons = {2: "another hash", 3: "no ONNX file", 4: "other files", 5: "other columns", 6: "no"}
    for number, words in (reasons | {7: "cannot be read"}).items():
        crown(runs, number)
        wait(lambda n=number: f"version {n}" in (problem(endpoint) or ""), "it says why")
        assert words in (problem(endpoint) or "")
        assert ask(endpoint) == version(endpoint) == "1"
    told = call(f"{endpoint.address}/v2/models/{NAME}").body
    assert (told["versions"], told["problem"]) == (["1"], problem(endpoint))
    assert call(f"{endpoint.address}/v2/models/{NAME}/ready").status == 200
    crown(runs, 1)  # rolled back
    wait(lambda: problem(endpoint) is None, "all is well again")
    broken = call(f"{endpoint.address}/v2/models/{NAME}/versions/2/infer", BODY)
    assert (broken.status, "another hash" in broken.body["error"]) == (503, True)


def test_a_model_registered_a_moment_ago_is_found_and_a_first_broken_one_explained(
    runs: Path, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "POLL_S", 3600)
    with serving(runs, Limits()) as (address, _):
        assert call(f"{address}/v2/models/{NAME}/infer", BODY).status == 404
        put(runs, 1, made)
        crown(runs, 1)
        assert call(f"{address}/v2/models/{NAME}/infer", BODY).body["model_version"] == "1"
        other = "alarm-desk.other"
        put(runs, 1, Made(b"nothing", made.config), other)
        crown(runs, 1, other)
        reply = call(f"{address}/v2/models/{other}/infer", BODY)
        assert reply.status == 503
        assert "no ONNX file" in reply.body["error"]
        assert call(f"{address}/v2/health/ready").status == 200


def test_only_a_few_earlier_versions_stay_loaded(runs: Path, made: Made) -> None:
    for number in range(1, 7):
        put(runs, number, made)
    crown(runs, 6)
    with serving(runs, Limits()) as (address, found):
        for number in (1, 2, 3, 4, 5, 6, 1):
            reply = call(f"{address}/v2/models/{NAME}/versions/{number}/infer", BODY)
            assert reply.body["model_version"] == str(number)
        assert [one.version for one in found.find(NAME).all()] == ["6", "4", "5", "1"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_version_whose_thread_died_is_loaded_again(
    runs: Path, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(runs, 1, made)
    crown(runs, 1)
    with serving(runs, Limits()) as (address, found):
        assert call(f"{address}/v2/models/{NAME}/infer", BODY).status == 200
        loaded = found.find(NAME).current
        assert loaded
        dying = Doubling()
        dying.is_dying = True
        monkeypatch.setattr(loaded.batcher, "_forward", dying.forward)
        assert call(f"{address}/v2/models/{NAME}/infer", BODY).status == 503
        wait(lambda: call(f"{address}/v2/models/{NAME}/infer", BODY).status == 200, "it is back")
        assert found.find(NAME).current is not loaded


def with_external_tensors(content: bytes) -> bytes:
    model = onnx.load_model_from_string(content)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry: Any = tensor.external_data.add()
    entry.key, entry.value = "location", "../../../../etc/passwd"
    return bytes(model.SerializeToString())


def test_threads_of_replaced_versions_end(runs: Path, made: Made, second: Made) -> None:
    put(runs, 1, made)
    put(runs, 2, second)
    crown(runs, 1)
    with serving(runs, Limits()) as (address, found):
        call(f"{address}/v2/models/{NAME}/infer", BODY)
        old = found.find(NAME).current
        assert old
        crown(runs, 2)
        wait(lambda: found.find(NAME).current is not old, "version 2 answers")
        wait(lambda: not old.batcher.is_alive, "the thread of version 1 has ended")
        workers = [t for t in threading.enumerate() if "_work" in t.name]
        assert len(workers) <= 1
