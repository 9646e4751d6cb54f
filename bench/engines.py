"""Other serving engines on the same model, each in an environment of its own under `build/bench`.

An environment is made once, in bounded time; an engine that cannot be had is told with its reason.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

_ENVIRONMENTS = Path(__file__).resolve().parents[1] / "build" / "bench"
_INSTALL_S, _START_S, _STOP_S = 600.0, 60.0, 10.0
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

_MLSERVER = """
import numpy as np, onnxruntime as ort
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse

class Wide(MLModel):
    async def load(self):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession("MODEL", options, ["CPUExecutionProvider"])
        return True

    async def predict(self, payload):
        feed = NumpyCodec.decode_input(payload.inputs[0]).astype(np.float32)
        scores = self.session.run(None, {"tickets": feed})[0]
        output = NumpyCodec.encode_output("scores", scores)
        return InferenceResponse(model_name=self.name, outputs=[output])
"""
_TRITON = """
import sys
sys.path.insert(0, "SITE")  # the stub does not read PYTHONPATH
import numpy as np, onnxruntime as ort
import triton_python_backend_utils as utils

class TritonPythonModel:
    def initialize(self, args):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession("MODEL", options, ["CPUExecutionProvider"])

    def execute(self, requests):
        feeds = [utils.get_input_tensor_by_name(r, "tickets").as_numpy() for r in requests]
        scores = self.session.run(None, {"tickets": np.concatenate(feeds)})[0]
        parts = np.split(scores, np.cumsum([len(f) for f in feeds])[:-1])
        tensors = [utils.Tensor("scores", np.ascontiguousarray(part)) for part in parts]
        return [utils.InferenceResponse([tensor]) for tensor in tensors]
"""
_TRITON_CONFIG = """
backend: "python"
max_batch_size: 32
input [{ name: "tickets" data_type: TYPE_FP32 dims: [64] }]
output [{ name: "scores" data_type: TYPE_FP32 dims: [10] }]
instance_group [{ count: 1 kind: KIND_CPU }]
dynamic_batching { }
"""


class NotHere(Exception):  # noqa: N818 - reads better at a raise
    """An engine cannot be had on this machine; the message says why."""


@dataclass(frozen=True)
class Engine:
    """One that answers: the address of its infer route, and its process."""

    address: str
    pid: int

    def cpu_s(self) -> float:
        """CPU seconds of the process and its living children so far."""
        process = psutil.Process(self.pid)
        times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
        return sum(one.user + one.system for one in times)


@contextmanager
def mlserver(folder: Path, model: Path) -> Iterator[Engine]:
    """MLServer with adaptive batching.

    Raises:
        NotHere: it cannot be installed or does not start.
    """
    python = _environment("mlserver==1.7.1", "onnxruntime")
    port, others = free_port(), [free_port(), free_port()]
    settings: dict[str, object] = {
        "http_port": port,
        "grpc_port": others[0],
        "metrics_port": others[1],
    }
    settings |= {"host": "127.0.0.1", "parallel_workers": 0, "debug": False}
    about: dict[str, object] = {"name": "wide", "implementation": "runtime.Wide"}
    about |= {"max_batch_size": 32, "max_batch_time": 0.002}
    place = folder / "mlserver"
    place.mkdir()
    (place / "settings.json").write_text(json.dumps(settings))
    (place / "model-settings.json").write_text(json.dumps(about))
    (place / "runtime.py").write_text(_MLSERVER.replace("MODEL", str(model)))
    command = [str(python.with_name("mlserver")), "start", str(place)]
    if not Path(command[0]).exists():
        raise NotHere("its program is not in the package")
    command = [str(python), *command]
    with _serving(command, place, {}, port) as engine:
        yield engine


@contextmanager
def triton(folder: Path, model: Path) -> Iterator[Engine]:
    """NVIDIA's server from the pytriton wheel, with its python backend and no delay.

    Raises:
        NotHere: it cannot be installed or does not start.
    """
    python = _environment("nvidia-pytriton==0.7.0", "onnxruntime", "numpy<2")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    site = python.parents[1] / "lib" / f"python{version}" / "site-packages"
    files = site / "pytriton" / "tritonserver"
    place = folder / "triton_repository"
    (place / "wide" / "1").mkdir(parents=True)
    (place / "wide" / "config.pbtxt").write_text(_TRITON_CONFIG)
    code = _TRITON.replace("MODEL", str(model)).replace("SITE", str(site))
    (place / "wide" / "1" / "model.py").write_text(code)
    backends = folder / "backends"
    shutil.copytree(files / "backends" / "python", backends / "python")
    stub = files / "python_backend_stubs" / version / "triton_python_backend_stub"
    shutil.copy(stub, backends / "python")
    port = free_port()
    options: dict[str, object] = {"model-repository": place, "backend-directory": backends}
    options |= {"http-address": "127.0.0.1", "http-port": port, "allow-grpc": "false"}
    options |= {"allow-metrics": "false", "exit-timeout-secs": 5}
    command = [str(files / "bin" / "tritonserver")]
    command += [f"--{name}={value}" for name, value in options.items()]
    libraries = f"{site / 'nvidia_pytriton.libs'}:{Path(sys.base_prefix) / 'lib'}"
    paths = {"PYTHONPATH": str(site), "LD_LIBRARY_PATH": libraries}
    with _serving(command, folder, paths, port) as engine:
        yield engine


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(*packages: str) -> Path:
    """The Python of an environment that has these packages, made on first use."""
    place = _ENVIRONMENTS / packages[0].replace("==", "-")
    python = place / "bin" / "python"
    if (place / "ready").exists():
        return python
    shutil.rmtree(place, ignore_errors=True)
    install = [str(python), "-m", "pip", "install", "-q", *packages]
    try:
        for command in ([sys.executable, "-m", "venv", str(place)], install):
            subprocess.run(command, check=True, timeout=_INSTALL_S, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NotHere(f"{packages[0]} cannot be installed: {last}") from error
    except subprocess.TimeoutExpired as error:
        raise NotHere(f"{packages[0]} was not installed in {_INSTALL_S:g} s") from error
    (place / "ready").touch()
    return python


@contextmanager
def _serving(
    command: list[str], folder: Path, environment: dict[str, str], port: int
) -> Iterator[Engine]:
    log = folder / f"{Path(command[-1]).name}-{port}.log"
    address = f"http://127.0.0.1:{port}"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=folder, env=os.environ | environment, stdout=output, stderr=output
        )
    try:
        deadline = time.monotonic() + _START_S
        while not _is_ready(f"{address}/v2/models/wide/ready"):
            if server.poll() is not None or time.monotonic() > deadline:
                last = (log.read_text(errors="replace").strip().splitlines() or ["no word"])[-1]
                raise NotHere(f"it did not start: {last}")
            time.sleep(0.2)
        yield Engine(f"{address}/v2/models/wide/infer", server.pid)
    finally:
        server.terminate()
        try:
            server.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _is_ready(address: str) -> bool:
    try:
        with _direct.open(address, timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False
