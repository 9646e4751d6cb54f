"""The life of a worker from its first to its last word, whatever happens in between."""

import contextlib
import errno
import random
import sys
import traceback
from dataclasses import asdict
from typing import Any, Protocol

import torch

from trainer import device
from trainer.datasets.dials import Dials
from trainer.errors import BadSetting
from trainer.exit_codes import BAD_INPUT, FAILED, FINISHED, STOPPED
from trainer.lock import Lock
from trainer.process import identity
from trainer.runs import Run, RunConfig
from trainer.setting import describe, parse
from trainer.wake import runs_of
from trainer.worker import ActiveRun, on_signals


class Lab(Protocol):
    """What the engine asks of a lab module."""

    Config: type
    PRESETS: dict[str, dict[str, Any]]

    def train(self, config: Any, run: ActiveRun) -> None:
        """Train, log, find."""

    def expect(self, run: Run) -> None:
        """Assert that the promised surprise showed."""


def live(run: Run, lab: Lab, device_kind: str) -> int:
    """Work on a run until it ends and return the exit code; `device_kind` is already decided.

    A lab that forks works on the CPU: CUDA does not survive a fork and starts threads. Its child
    runs may open the device that was granted, for none of them forks.
    """
    try:
        _lock = Lock(run.path / "worker.lock")  # held until this process ends
    except BlockingIOError:
        print("Another worker has this run already.", file=sys.stderr)
        return FINISHED
    active = ActiveRun(run, torch.device("cpu" if getattr(lab, "FORKS", False) else device_kind))
    active.granted = device_kind
    on_signals(active)
    identity().write(run.path / "worker.json")
    try:
        return _train(active, run, lab)
    except BadSetting as error:
        _end(active, "FAILED", "bad input", str(error))
        return BAD_INPUT
    except Exception as error:
        traceback.print_exc()
        _end(active, "FAILED", "crashed", _sentence(error))
        return FAILED


def settings_of(lab: Lab, config: RunConfig) -> dict[str, Any]:
    """Return the preset's settings with the learner's own on top."""
    if config.preset not in lab.PRESETS:
        raise BadSetting(f"preset must be one of {', '.join(lab.PRESETS)}, not {config.preset!r}.")
    return lab.PRESETS[config.preset] | config.settings


def is_default(lab: Lab, config: RunConfig) -> bool:
    """Whether a run has the lab's default settings and tickets, so that its promise applies."""
    if config.data_and_split not in (None, (Dials().digest(), "device")):
        return False
    defaults = {info.name: info.default for info in describe(lab.Config)}
    chosen: Any = parse(lab.Config, settings_of(lab, config))
    return all(getattr(chosen, name) == value for name, value in defaults.items())


def _train(active: ActiveRun, run: Run, lab: Lab) -> int:
    settings: Any = parse(lab.Config, settings_of(lab, active.config))
    torch.set_num_threads(active.threads)
    random.seed(active.seed)
    torch.manual_seed(active.seed)
    _must_have(active.device.type, run)
    active.begin(_facts(active) | {"settings": asdict(settings)})
    lab.train(settings, active)
    if active.should_stop:
        active.end("KILLED", active.reason, error=None, surprise=None)
        return STOPPED
    active.flush()
    surprise = _surprise(run, lab) if is_default(lab, active.config) else None
    active.end("FINISHED", "finished", error=None, surprise=surprise)
    return FINISHED


def _must_have(kind: str, run: Run) -> None:
    """Refuse a run that insists on CUDA where there is none, with the machine's own reason."""
    if kind == "cuda" and not torch.cuda.is_available():
        facts = device.facts(runs_of(run.path))
        raise BadSetting(f"CUDA was asked for. {facts.reason if facts else 'It is not here.'}")


def _surprise(run: Run, lab: Lab) -> bool:
    try:
        lab.expect(run)
    except AssertionError as error:
        print(f"The promised surprise did not show: {error}", file=sys.stderr)
        return False
    return True


def _facts(active: ActiveRun) -> dict[str, Any]:
    kind = active.device.type
    name = torch.cuda.get_device_name() if kind == "cuda" else "CPU"
    versions = {"python": sys.version.split()[0], "torch": torch.__version__}
    facts = {"device": kind, "device_name": name, "threads": active.threads}
    return facts | {"pid": identity().pid, "versions": versions}


def _end(active: ActiveRun, status: str, reason: str, error: str) -> None:
    with contextlib.suppress(
        OSError
    ):  # a full disk takes no last word; the dispatcher says it later
        active.end(status, reason, error=error, surprise=None)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return (
            "The disk is full. Make room, then resume: it goes on from the last checkpoint, if any."
        )
    is_refused = "can't allocate memory" in str(error)  # the CPU's allocator has no type for it
    if is_refused or isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        told = str(error).splitlines()[0].rpartition("DefaultCPUAllocator: ")[2]
        return f"Out of memory. Choose a smaller model or batch. ({told[:200]})"
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__
