"""What this machine does right now, measured here: CPU, memory, and GPUs where NVML finds them."""

import contextlib
import time
from functools import cache
from typing import Any

import psutil
import pynvml

_GIB = 1 << 30
_MW_PER_W = 1000


class _Processor:
    """How busy the cores were since the last question.

    `psutil.cpu_percent` keeps a last question for each thread, so a reader whose threads change
    would be told 0 every now and then.
    """

    def __init__(self) -> None:
        self._last = self._seconds()

    def busy_pct(self) -> float:
        last, self._last = self._last, self._seconds()
        busy, whole = (new - old for new, old in zip(self._last, last, strict=True))
        return round(min(100.0, max(0.0, 100 * busy / whole)), 1) if whole > 0 else 0.0

    @staticmethod
    def _seconds() -> tuple[float, float]:
        times = psutil.cpu_times()._asdict()
        whole = sum(times.values()) - times.get("guest", 0.0) - times.get("guest_nice", 0.0)
        return whole - times["idle"] - times.get("iowait", 0.0), whole


_processor = _Processor()


def read() -> dict[str, Any]:
    """Return one reading; the first one loads NVML, so call it in a thread."""
    memory = psutil.virtual_memory()
    return {
        "t": time.time(),
        "origin": "M",
        "cpu_pct": _processor.busy_pct(),
        "cores": psutil.cpu_count() or 1,
        "memory_used_gib": (memory.total - memory.available) / _GIB,
        "memory_total_gib": memory.total / _GIB,
        "gpus": [_gpu(index) for index in range(_gpu_count())],
    }


@cache
def _gpu_count() -> int:
    """Load NVML once; a machine without a driver has no GPU for us."""
    try:
        pynvml.nvmlInit()
        return int(pynvml.nvmlDeviceGetCount())
    except pynvml.NVMLError:
        return 0


def _gpu(index: int) -> dict[str, Any]:
    """Read one GPU; a figure that this card or driver does not give is left out."""
    handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    seen: dict[str, Any] = {"index": index}
    with contextlib.suppress(pynvml.NVMLError):
        seen["name"] = str(pynvml.nvmlDeviceGetName(handle))
    with contextlib.suppress(pynvml.NVMLError):
        memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
        seen |= {"memory_used_gib": memory.used / _GIB, "memory_total_gib": memory.total / _GIB}
    with contextlib.suppress(pynvml.NVMLError):
        seen["utilisation_pct"] = pynvml.nvmlDeviceGetUtilizationRates(handle).gpu
    with contextlib.suppress(pynvml.NVMLError):
        seen["power_w"] = pynvml.nvmlDeviceGetPowerUsage(handle) / _MW_PER_W
    with contextlib.suppress(pynvml.NVMLError):
        seen["temperature_c"] = pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU)
    return seen
