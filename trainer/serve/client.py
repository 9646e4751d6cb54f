"""What others ask of the endpoint: be there, answer this ticket, leave; imports no model engine."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from trainer.errors import BadState
from trainer.serve import place
from trainer.serve.place import Endpoint

__all__ = ["Answer", "Endpoint", "ask", "curl", "ensure", "private", "running", "shutdown", "state"]

_ROOT = Path(__file__).resolve().parents[2]
_START_S = 30.0
_SHOWS_S = 2.0  # one that was started a moment ago may not have shown itself
_STOP_S = 12.0
_ANSWER_S = 30.0
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_children: "list[subprocess.Popen[bytes]]" = []


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a model says of one ticket, and where the time went.

    Attributes:
        cause: the likeliest cause; `probability` is how sure the model is of it.
        scores: the scores of all causes, in the order of the model.
        version: which version of the model answered.
        queue_ms, compute_ms: waiting and computing in the endpoint.
        batch_rows: how many tickets were computed at once.
        total_ms: from asking to the answer, seen from here.
    """

    cause: str
    probability: float
    scores: tuple[float, ...]
    version: str
    queue_ms: float
    compute_ms: float
    batch_rows: int
    total_ms: float


def running(runs: Path) -> Endpoint | None:
    """Return the folder's endpoint if one lives; a file left by a dead one is never believed."""
    return Endpoint.read(runs / place.FILE)


def ensure(runs: Path) -> Endpoint:
    """Return the folder's endpoint, started where none lives; its models may still be loading.

    Raises:
        BadState: it could not be started; the sentence says why.
    """
    deadline = time.monotonic() + _START_S
    child: subprocess.Popen[bytes] | None = None
    while (found := running(runs)) is None:
        if child is None or child.poll() == 0:
            time.sleep(0.3 if child else 0)  # another has the folder, perhaps about to leave it
            child = _start(runs)
        elif child.returncode is not None or time.monotonic() > deadline:
            raise BadState(f"The endpoint did not start: {_last_line(_log(runs))}")
        time.sleep(0.05)
    _children[:] = [one for one in _children if one.poll() is None]  # collects the ended
    return found


def shutdown(runs: Path) -> bool:
    """End the folder's endpoint, once it has answered what it holds; False if there was none."""
    if not (runs / place.STATE).is_dir():
        return False
    asked = runs / place.STATE / "asked"
    _wait_for(lambda: running(runs) is not None or not _is_fresh(asked), _SHOWS_S)
    found = running(runs)
    if found is None:
        return False
    found.process.send(signal.SIGTERM)
    _wait_for(lambda: not found.process.is_alive, _STOP_S)
    found.process.send(signal.SIGKILL)
    asked.unlink(missing_ok=True)
    for child in [one for one in _children if one.pid == found.process.pid]:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=1)
    return True


def ask(endpoint: Endpoint, learner: str, text: str, alarms: Sequence[str] = ()) -> Answer:
    """Return what the learner's champion says of a ticket.

    Without `alarms` those count that the text names.

    Raises:
        BadState: in the endpoint's words, why there is no answer.
    """
    start = time.perf_counter()
    body = json.dumps(_request(text, alarms)).encode()
    told = _get(endpoint, f"/v2/models/{_name(learner)}/infer", body)
    outputs = {one["name"]: one["data"] for one in told["outputs"]}
    spent = told["parameters"]
    return Answer(
        cause=outputs["cause"][0],
        probability=outputs["probability"][0],
        scores=tuple(outputs["scores"]),
        version=told["model_version"],
        queue_ms=spent["queue_us"] / 1e3,
        compute_ms=spent["compute_us"] / 1e3,
        batch_rows=spent["batch_rows"],
        total_ms=1e3 * (time.perf_counter() - start),
    )


def state(endpoint: Endpoint, model: str) -> dict[str, Any]:
    """Return a model's counters, its version, and under `problem` why a newer one is refused.

    Raises:
        BadState: there is no such model, or no answer.
    """
    return _get(endpoint, f"/v2/models/{quote(model, safe='')}/stats")


def curl(endpoint: Endpoint, learner: str, text: str, alarms: Sequence[str] = ()) -> str:
    """Return the line that asks the same in a shell."""
    address = f"{endpoint.address}/v2/models/{_name(learner)}/infer"
    return f"curl -s {shlex.quote(address)} -d {shlex.quote(json.dumps(_request(text, alarms)))}"


@contextlib.contextmanager
def private(runs: Path, file: Path, *options: str) -> Iterator[Endpoint]:
    """Give an endpoint of one's own, with options of its command line; it ends with the block.

    It stays in the caller's process group, and ends by itself when the caller is gone.

    Raises:
        BadState: it could not be started.
    """
    log = file.with_suffix(".log")
    command = [sys.executable, "-m", "trainer.serve", str(runs), "--state", str(file)]
    command += ["--parent", str(os.getpid()), *options]
    with log.open("ab") as output:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=_ROOT
        )
    try:
        _wait_for(lambda: Endpoint.read(file) is not None or child.poll() is not None, _START_S)
        found = Endpoint.read(file)
        if found is None:
            raise BadState(f"The endpoint did not start: {_last_line(log)}")
        yield found
    finally:
        child.terminate()
        try:
            child.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _start(runs: Path) -> "subprocess.Popen[bytes]":
    (place.state_folder(runs) / "asked").touch()
    with _log(runs).open("ab") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "trainer.serve", str(runs)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=_ROOT,
            env=os.environ | {"STAGECOACH_RUNS": str(runs)},
            start_new_session=True,
        )
    _children.append(child)
    return child


def _get(endpoint: Endpoint, path: str, body: bytes | None = None) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("STAGECOACH_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(endpoint.address + path, body, headers)
    try:
        with _direct.open(request, timeout=_ANSWER_S) as reply:
            told: dict[str, Any] = json.load(reply)
            return told
    except urllib.error.HTTPError as error:
        raise BadState(_words(error.read())) from error
    except (OSError, ValueError) as error:
        raise BadState(f"The endpoint at {endpoint.address} did not answer: {error}") from error


def _words(body: bytes) -> str:
    try:
        return f"The endpoint says: {json.loads(body)['error']}"
    except (ValueError, KeyError, TypeError):
        return "The endpoint refused the request without a reason."


def _request(text: str, alarms: Sequence[str]) -> dict[str, Any]:
    inputs = {"text": text} | ({"alarms": ",".join(alarms)} if alarms else {})
    return {
        "inputs": [
            {"name": name, "shape": [1], "datatype": "BYTES", "data": [value]}
            for name, value in inputs.items()
        ]
    }


def _name(learner: str) -> str:
    return quote(f"alarm-desk.{learner}", safe="")


def _log(runs: Path) -> Path:
    return place.state_folder(runs) / "log"


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else f"it said nothing; see {log}"


def _is_fresh(asked: Path) -> bool:
    return asked.exists() and time.time() - asked.stat().st_mtime < _SHOWS_S


def _wait_for(done: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)
