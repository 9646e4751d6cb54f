"""The protocol over HTTP: NVIDIA's own client, both forms, errors in words, limits."""

import itertools
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
import tritonclient.http as triton

from tests.serve.inside import POISON, Doubling, flat, serving
from tests.serve.making import NAME, Made, call, matrix_body, text_body, wait
from trainer.serve import client, server, versions
from trainer.serve.batcher import Limits
from trainer.serve.client import Endpoint
from trainer.serve.models import Models
from trainer.serve.reading import Reading

TEXTS = ["OLT081 S016 ; WARN linkDown | cut by a digger", "CR093 ; MIN timingProblem | ünïcode"]


@pytest.fixture(scope="module")
def official(served: Endpoint) -> Iterator[triton.InferenceServerClient]:
    with triton.InferenceServerClient(urlsplit(served.address).netloc) as found:
        yield found


@pytest.fixture(scope="module")
def doubling() -> Doubling:
    return Doubling()


@pytest.fixture(scope="module")
def inside(
    doubling: Doubling, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Models]]:
    runs = tmp_path_factory.mktemp("inside")
    with serving(runs, Limits(max_batch=4, queue_s=0.2), {"doubling": doubling}) as found:
        yield found


def test_the_official_client_sees_a_server(official: triton.InferenceServerClient) -> None:
    assert official.is_server_live()
    assert official.is_server_ready()
    assert official.get_server_metadata()["name"] == "stagecoach"
    assert official.is_model_ready(NAME)
    assert official.is_model_ready(NAME, "1")
    assert not official.is_model_ready(NAME, "7")
    assert not official.is_model_ready("nobody")
    told = official.get_model_metadata(NAME)
    assert [one["name"] for one in told["inputs"]] == ["text", "alarms", "second", "month"]
    assert [one["name"] for one in told["outputs"]] == ["cause", "probability", "scores"]
    assert official.get_inference_statistics(NAME)["model"] == NAME


@pytest.mark.parametrize(
    ("is_binary_in", "is_binary_out"), list(itertools.product([True, False], repeat=2))
)
def test_the_official_client_gets_the_same_in_every_form(
    official: triton.InferenceServerClient,
    second: Made,
    is_binary_in: bool,
    is_binary_out: bool,
) -> None:
    texts = triton.InferInput("text", [2], "BYTES")
    texts.set_data_from_numpy(np.array(TEXTS, object), binary_data=is_binary_in)
    wanted = [
        triton.InferRequestedOutput(name, binary_data=is_binary_out)
        for name in ("cause", "probability", "scores")
    ]
    result = official.infer(NAME, [texts], outputs=wanted, request_id="7")
    expected = scores_of(second)
    assert np.allclose(result.as_numpy("scores"), expected, atol=1e-5)
    causes = [c.decode() if isinstance(c, bytes) else c for c in result.as_numpy("cause")]
    assert causes == [second.config["causes"][place] for place in expected.argmax(axis=1)]
    shares = np.exp(expected) / np.exp(expected).sum(axis=1, keepdims=True)
    assert np.allclose(result.as_numpy("probability"), shares.max(axis=1), atol=1e-5)
    answer = result.get_response()
    assert (answer["id"], answer["model_version"]) == ("7", "2")
    assert answer["parameters"].keys() == {"queue_us", "compute_us", "batch_rows"}


def test_the_official_client_sends_numbers(official: triton.InferenceServerClient) -> None:
    for is_binary in (True, False):
        tickets = triton.InferInput("tickets", [2, 64], "FP32")
        tickets.set_data_from_numpy(np.ones((2, 64), np.float32), binary_data=is_binary)
        scores = official.infer("wide", [tickets]).as_numpy("scores")
        assert scores.shape == (2, 10)
        assert np.allclose(scores[0], scores[1])
        assert np.abs(scores).max() > 0


def test_alarms_and_an_earlier_version_count(served: Endpoint, made: Made) -> None:
    given = text_body(TEXTS[0])
    plain = call(f"{served.address}/v2/models/{NAME}/infer", given).body
    alarms = {
        "name": "alarms",
        "shape": [1],
        "datatype": "BYTES",
        "data": ["lossOfSignal, linkDown"],
    }
    told = {"inputs": [*given["inputs"], alarms]}
    more = call(f"{served.address}/v2/models/{NAME}/infer", told).body
    assert output(more, "scores") != output(plain, "scores")
    untold = {"inputs": [*given["inputs"], alarms | {"data": [" "]}]}
    again = call(f"{served.address}/v2/models/{NAME}/infer", untold).body
    assert output(again, "scores") == output(plain, "scores")
    earlier = call(f"{served.address}/v2/models/{NAME}/versions/1/infer", given).body
    assert earlier["model_version"] == "1"
    assert np.allclose(output(earlier, "scores"), scores_of(made)[0], atol=1e-5)
    answer = client.ask(served, "local", TEXTS[0], ["linkDown", "lossOfSignal"])
    assert answer.scores == tuple(output(more, "scores"))
    assert (answer.version, answer.batch_rows) == ("2", 1)


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        (f"models/{NAME}/infer", b"{", 400, "bad request"),
        (f"models/{NAME}/infer", text_body(*["a"] * 9), 400, "at most 8"),
        (f"models/{NAME}/infer", text_body("a" * 9000), 400, "more than 8000 characters"),
        (f"models/{NAME}/infer", b"a" * ((4 << 20) + 1), 413, "larger than"),
        ("models/alarm-desk.nobody/infer", text_body("a"), 404, "no model"),
        ("models/..%2F..%2Fetc/infer", text_body("a"), 404, ""),
        (f"models/{NAME}/versions/9/infer", text_body("a"), 404, "no version '9'"),
        (f"models/{NAME}/versions/..%2F1/infer", text_body("a"), 404, ""),
        (f"models/{NAME}/versions/-1/infer", text_body("a"), 404, "no version"),
        (f"models/{NAME}/infer", None, 405, "Not Allowed"),
        ("nothing", None, 404, "Not Found"),
    ],
)
def test_what_cannot_be_answered_is_said(
    served: Endpoint, path: str, body: Any, status: int, words: str
) -> None:
    reply = call(f"{served.address}/v2/{path}", body)
    assert reply.status == status
    assert words in reply.body["error"]


def test_a_body_that_is_packed_or_in_another_encoding_is_refused(served: Endpoint) -> None:
    address = f"{served.address}/v2/models/{NAME}/infer"
    assert call(address, text_body("a"), **{"Content-Encoding": "gzip"}).status == 415
    assert call(address, text_body("a"), **{"Inference-Header-Content-Length": "7"}).status == 400


def test_other_names_for_this_machine_are_not_answered(served: Endpoint) -> None:
    assert call(f"{served.address}/v2", Host="evil.example:80").status == 403
    assert call(f"{served.address}/v2", Host="localhost").status == 200


def test_counters_add_up_and_stand_in_metrics(inside: tuple[str, Models]) -> None:
    address = f"{inside[0]}/v2/models/doubling"
    before = call(f"{address}/stats").body
    for rows in (1, 2):
        call(f"{address}/infer", matrix_body(rows))
    call(f"{address}/infer", b"{")
    after = call(f"{address}/stats").body
    changed = {n: after["requests"][n] - before["requests"][n] for n in after["requests"]}
    assert changed == {"answered": 2, "refused": 1, "shed": 0, "expired": 0, "failed": 0}
    assert after["rows"] - before["rows"] == 3
    assert sum(int(n) * times for n, times in after["batch_rows"].items()) == after["rows"]
    assert [change["version"] for change in after["changes"]] == ["1"]
    assert [rows for rows, _ in after["bare"]] == [1, 2, 4, 8, 16, 32]
    text = call(f"{inside[0]}/metrics").body.decode()
    line = f'stagecoach_batch_rows_sum{{model="doubling"}} {after["rows"]}\n'
    assert line in text
    assert text.count("# TYPE") == text.count("# HELP") == 7


def test_a_poisoned_request_fails_alone_among_others(
    inside: tuple[str, Models], doubling: Doubling
) -> None:
    address = f"{inside[0]}/v2/models/doubling/infer"
    doubling.gate.clear()
    inside_before = doubling.inside
    values = [0.0, 1.0, POISON, 2.0, 3.0]
    with ThreadPoolExecutor(len(values)) as pool:
        first = pool.submit(call, address, matrix_body(value=values[0]))
        wait(lambda: doubling.inside > inside_before, "the thread computes")
        rest = [pool.submit(call, address, matrix_body(value=value)) for value in values[1:]]
        wait(lambda: queued(inside) == 4, "they wait")
        doubling.gate.set()
        replies = [one.result() for one in (first, *rest)]
    assert [reply.status for reply in replies] == [200, 200, 500, 200, 200]
    assert "poison" in replies[2].body["error"]
    good = [output(r.body, "scores")[0] for r in replies if r.status == 200]
    assert good == [0.0, 2.0, 4.0, 6.0]


def test_a_full_queue_says_when_to_come_back_and_an_expired_request_is_not_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Doubling()
    monkeypatch.setattr(versions.Bare, "measure", lambda *_: flat(0.15))
    with (
        serving(tmp_path, Limits(max_batch=1, queue_s=0.2), {"doubling": model}) as found,
        ThreadPoolExecutor(3) as pool,
    ):
        address = f"{found[0]}/v2/models/doubling/infer"
        model.gate.clear()
        first = pool.submit(call, address, matrix_body(value=1))
        wait(lambda: model.inside == 1, "the thread computes")
        hurried = matrix_body(value=2, parameters={"timeout": 1})
        waiting = [pool.submit(call, address, hurried)]
        wait(lambda: queued(found) == 1, "it waits")
        time_out = time.monotonic() + 0.2  # until the one under way is overdue
        wait(lambda: time.monotonic() > time_out, "time passes")
        waiting.append(pool.submit(call, address, matrix_body(value=3)))
        wait(lambda: queued(found) == 2, "two wait")
        shed = call(address, matrix_body(value=4))
        model.gate.set()
        statuses = [one.result().status for one in (first, *waiting)]
    assert shed.status == 503
    assert int(shed.headers["retry-after"]) >= 1
    assert "queue is full" in shed.body["error"]
    assert statuses == [200, 504, 200]
    assert model.computed == [[1], [3]]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_without_its_thread_a_model_is_not_ready(tmp_path: Path) -> None:
    model = Doubling()
    with serving(tmp_path, Limits(), {"doubling": model}) as (address, _):
        assert call(f"{address}/v2/health/ready").status == 200
        model.is_dying = True
        assert call(f"{address}/v2/models/doubling/infer", matrix_body()).status == 503
        wait(lambda: call(f"{address}/v2/health/ready").status == 503, "it is not ready")
        assert call(f"{address}/v2/models/doubling/ready").status == 503
        assert call(f"{address}/v2/models/doubling/infer", matrix_body()).status == 503
        assert call(f"{address}/v2/health/live").status == 200


def test_a_body_that_does_not_arrive_is_given_up(
    inside: tuple[str, Models], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "BODY_SECONDS", 0.2)
    place = urlsplit(inside[0])
    head = (
        "POST /v2/models/doubling/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"
    )
    with socket.create_connection((place.hostname, place.port), 60) as line:
        line.sendall(head.encode())
        answer = b""
        while part := line.recv(4096):
            answer += part
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"the body took more than" in answer


def queued(found: tuple[str, Models]) -> int:
    return int(call(f"{found[0]}/v2/models/doubling/stats").body["queue_rows"])


def output(body: dict[str, Any], name: str) -> list[Any]:
    return next(one["data"] for one in body["outputs"] if one["name"] == name)


def scores_of(made: Made) -> np.ndarray[Any, Any]:
    """What ONNX Runtime says without any server."""
    import onnxruntime

    session = onnxruntime.InferenceSession(made.onnx, providers=["CPUExecutionProvider"])
    columns = Reading.of(made.config).columns(TEXTS)
    scores: np.ndarray[Any, Any] = session.run(None, {"tickets": columns})[0]
    return scores
