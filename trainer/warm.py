"""The warm parent: has torch loaded, does nothing with it, and forks workers at once."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from trainer.events import write_all
from trainer.exit_codes import FAILED
from trainer.life import Lab, live
from trainer.process import threads
from trainer.runs import Run

FindLab = Callable[[str], Lab]
_REQUESTS, _REPLIES = 0, 1  # stdin and stdout are the dispatcher's pipes


def serve(find_lab: FindLab) -> None:
    """Fork a worker for each line `{"run": path, "device": "cpu"}` until the pipe closes.

    Replies, a line each: `{"ready": pid}` once, `{"run": path, "pid": pid}` for a fork,
    `{"exited": pid, "code": code}` for an end (below 0: the signal). Workers outlive this process.
    """
    wake_read, wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(wake_write)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _reply({"ready": os.getpid()})
    waiting = b""
    while True:
        readable, _, _ = select.select([_REQUESTS, wake_read], [], [])
        if wake_read in readable:
            os.read(wake_read, 4096)
            _collect()
        if _REQUESTS in readable:
            chunk = os.read(_REQUESTS, 65536)
            if not chunk:
                return
            *lines, waiting = (waiting + chunk).split(b"\n")
            for line in lines:
                _launch(json.loads(line), find_lab, [wake_read, wake_write])


def _launch(request: dict[str, str], find_lab: FindLab, pipes: list[int]) -> None:
    if sys.platform == "darwin":  # forking a process that has loaded Apple's frameworks is not safe
        command = [*sys.orig_argv[:-2], "worker", request["run"], request["device"]]
        _reply({"run": request["run"], "pid": subprocess.Popen(command).pid})
        return
    assert threads() == 1, "a fork would leave the other threads' locks held for ever"
    pid = os.fork()
    if pid == 0:
        os._exit(_child(request, find_lab, pipes))
    _reply({"run": request["run"], "pid": pid})


def _child(request: dict[str, str], find_lab: FindLab, pipes: list[int]) -> int:
    """Become the worker: own session, own log, none of the parent's pipes."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for pipe in pipes:
        os.close(pipe)
    try:
        return work(Path(request["run"]), find_lab, request["device"])
    except BaseException:
        traceback.print_exc()
        return FAILED
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def work(path: Path, find_lab: FindLab, device: str) -> int:
    """Work on one run in this process, as the leader of its own session; returns the exit code."""
    with contextlib.suppress(PermissionError):  # a leader already, when started by hand
        os.setsid()
    redirect(path / "worker.log")
    run = Run(path)
    return live(run, find_lab(run.config.lab), device)


def redirect(log: Path) -> None:
    """Let this process read nothing and print into its run's log."""
    null = os.open(os.devnull, os.O_RDONLY)
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.dup2(null, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.close(null)
    os.close(out)


def _collect() -> None:
    """Tell how each ended child ended."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            _reply({"exited": pid, "code": os.waitstatus_to_exitcode(status)})


def _reply(message: dict[str, object]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the dispatcher is gone: the next read says so
        write_all(_REPLIES, json.dumps(message).encode() + b"\n")
