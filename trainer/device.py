"""What this machine computes with; CUDA counts only after a child has run one kernel on it."""

import contextlib
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import psutil

from trainer import events
from trainer.wake import state_folder

_FILE = "device.json"
_PROOF = """
import json, torch
facts = {"build": torch.version.cuda, "cuda": torch.cuda.is_available()}
if facts["cuda"]:
    facts["name"] = torch.cuda.get_device_name()
    facts["capability"] = list(torch.cuda.get_device_capability())
    facts["works"] = bool((torch.ones(2, device="cuda") * 2).sum().item() == 4)
print(json.dumps(facts))
"""


@dataclass(frozen=True, kw_only=True)
class DeviceFacts:
    """The device that `auto` takes; `reason` says in one line why it is not CUDA."""

    kind: Literal["cpu", "cuda"]
    name: str
    cores: int
    memory_gib: float
    gpu_name: str = ""
    gpus: int = 0
    compute_capability: str = ""
    reason: str = ""


def facts(runs: Path) -> DeviceFacts | None:
    """Return what the last look found, None until somebody has looked."""
    try:
        return DeviceFacts(**json.loads((state_folder(runs) / _FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def look(runs: Path) -> DeviceFacts:
    """Look at the machine and keep what was found; takes seconds only where there is a GPU."""
    found = _look()
    events.replace(state_folder(runs) / _FILE, json.dumps(asdict(found)).encode())
    return found


def _look() -> DeviceFacts:
    here: dict[str, Any] = {
        "cores": os.cpu_count() or 1,
        "memory_gib": psutil.virtual_memory().total / 2**30,
    }
    gpus, driver = _gpus()
    if not gpus:
        reason = "No NVIDIA GPU was found, so training runs on the CPU."
        return DeviceFacts(kind="cpu", name=cpu_name(), reason=reason, **here)
    proof = _prove()
    if proof.get("works"):
        capability = ".".join(map(str, proof["capability"]))
        more = {"gpu_name": proof["name"], "gpus": len(gpus), "compute_capability": capability}
        return DeviceFacts(kind="cuda", name=proof["name"], **more, **here)
    reason = _why_not(proof, gpus[0], driver)
    return DeviceFacts(kind="cpu", name=cpu_name(), gpu_name=gpus[0], reason=reason, **here)


def _why_not(proof: dict[str, Any], gpu: str, driver: str) -> str:
    """Return one line for a GPU that is there but cannot be used."""
    if proof.get("build") is None:
        return f"{gpu} is here, but this PyTorch build is for the CPU only."
    if not proof.get("cuda"):
        cuda = proof["build"]
        return f"{gpu} has driver {driver}, but this PyTorch build needs one for CUDA {cuda}."
    return (
        f"{gpu} is here, but its architecture is not in this PyTorch build: a test kernel failed."
    )


def _gpus() -> tuple[list[str], str]:
    """Return names of the GPUs and the driver's version by NVML, which starts no CUDA."""
    import pynvml  # only the dispatcher asks

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return [], ""
    with contextlib.suppress(pynvml.NVMLError):
        handles = map(pynvml.nvmlDeviceGetHandleByIndex, range(pynvml.nvmlDeviceGetCount()))
        return [pynvml.nvmlDeviceGetName(each) for each in handles], str(
            pynvml.nvmlSystemGetDriverVersion()
        )
    return [], ""


def _prove() -> dict[str, Any]:
    command = [sys.executable, "-c", _PROOF]
    with contextlib.suppress(subprocess.SubprocessError, ValueError, OSError):
        ran = subprocess.run(command, capture_output=True, timeout=120, check=False)
        lines = ran.stdout.splitlines()
        found = json.loads(lines[-1]) if lines else {"build": "?", "cuda": True}
        return dict(found)
    return {"build": "?", "cuda": True}


def cpu_name() -> str:
    """Return the processor's name as the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return "CPU"
