"""Ranks: processes forked from a worker, in its slot and process group, that work together.

They live while the `with` block does; whoever leaves it, by an end, a stop or an error, leaves no
rank behind. What the ranks do is a function that the caller brings.
"""

import json
import os
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn, Self

from trainer.errors import RankGone, RankLost
from trainer.events import write_all
from trainer.links import PATIENCE_S, Links
from trainer.process import threads

Work = Callable[[Links, Mapping[str, Any]], Any]
_ANSWER_S = 2.5 * PATIENCE_S  # ranks that wait for each other speak up first
_COLLECT_S = 5.0  # from the last byte of a dying rank to its exit status


class Ranks:
    """`world_size` processes, each joined to all others; `do` gives them the same order."""

    def __init__(self, world_size: int, work: Work) -> None:
        """Say how many and what for; nothing is forked before the `with` block begins."""
        self.world_size, self._work = world_size, work
        self.pids: list[int] = []
        self._lines: list[socket.socket] = []

    def __enter__(self) -> Self:
        """Fork them all."""
        n = self.world_size
        pairs = {(a, b): socket.socketpair() for b in range(n) for a in range(b)}
        controls = [socket.socketpair() for _ in range(n)]
        self._lines = [ours for ours, _ in controls]
        every = [end for pair in [*pairs.values(), *controls] for end in pair]
        try:
            for rank in range(n):
                mesh = {a + b - rank: pairs[a, b][rank == b] for a, b in pairs if rank in (a, b)}
                self._fork(rank, mesh, controls[rank][1], every)
        except BaseException:
            self.end()
            raise
        finally:
            _close([end for end in every if end not in self._lines])
        return self

    def __exit__(self, *_: object) -> None:
        """Leave no rank behind."""
        self.end()

    def do(self, order: Mapping[str, Any]) -> list[Any]:
        """Give every rank the same order and return their answers, in order of rank.

        Raises:
            RankLost: if a rank died or failed; the sentence says which and how.
        """
        line = json.dumps(order).encode() + b"\n"
        for rank, control in enumerate(self._lines):
            try:
                control.sendall(line)
            except OSError:
                self._lost(rank)
        answers = self._answers()
        return [answers[rank] for rank in range(self.world_size)]

    def end(self) -> None:
        """Kill what is left of them and collect it."""
        _close(self._lines)
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in self.pids:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self.pids, self._lines = [], []

    def _fork(
        self, rank: int, mesh: dict[int, socket.socket], control: socket.socket, every: Any
    ) -> None:
        assert threads() == 1, "a fork would leave the other threads' locks held for ever"
        pid = os.fork()
        if pid:
            self.pids.append(pid)
            return
        code = 1
        try:  # whatever happens, a rank never returns into the worker's code
            _close([end for end in every if end is not control and end not in mesh.values()])
            _live(Links(rank, self.world_size, mesh), control, self._work)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def _answers(self) -> dict[int, Any]:
        """Wait for one line from each; the first that is gone or complains ends the waiting."""
        heard = dict.fromkeys(range(self.world_size), b"")
        answers: dict[int, Any] = {}
        due = time.monotonic() + _ANSWER_S
        while waiting := {self._lines[rank]: rank for rank in heard if rank not in answers}:
            ready, _, _ = select.select(waiting, [], [], max(0.0, due - time.monotonic()))
            if not ready:
                late = min(waiting.values())
                raise RankLost(f"Rank {late} gave no answer for {_ANSWER_S:.0f} s.")
            for rank in (waiting[line] for line in ready):
                heard[rank] += self._hear(rank)
                if heard[rank].endswith(b"\n"):
                    answers[rank] = self._read(rank, heard[rank])
        return answers

    def _hear(self, rank: int) -> bytes:
        with suppress(ConnectionResetError):
            if chunk := self._lines[rank].recv(65536):
                return chunk
        self._lost(rank)

    def _read(self, rank: int, answer: bytes) -> Any:
        told = json.loads(answer)
        if "gone" in told:
            others = [other for other in range(self.world_size) if other != rank]
            self._lost(*(others if told["gone"] is None else [told["gone"]]))
        if "error" in told:
            raise RankLost(f"Rank {rank} failed: {told['error']}")
        return told["value"]

    def _lost(self, *suspects: int) -> NoReturn:
        """Say how the first of these ranks that is found dead has died."""
        due = time.monotonic() + _COLLECT_S
        while time.monotonic() < due:
            for rank in suspects:
                pid, status = os.waitpid(self.pids[rank], os.WNOHANG)
                if pid:
                    self._died(rank, os.waitstatus_to_exitcode(status))
            time.sleep(0.005)
        raise RankLost(f"Rank {' or '.join(map(str, suspects))} cut its lines.")

    def _died(self, rank: int, code: int) -> NoReturn:
        del self.pids[rank]  # collected: the number may belong to another soon
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        raise RankLost(f"Rank {rank} {how}; the others were ended with it.")


def _live(links: Links, control: socket.socket, work: Work) -> None:
    """Be a rank: answer orders until the worker closes the line; a stop is the worker's to obey."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    with control.makefile("rb") as orders:
        for order in orders:
            answer = _answer(links, order, work)
            write_all(control.fileno(), json.dumps(answer).encode() + b"\n")


def _answer(links: Links, order: bytes, work: Work) -> dict[str, Any]:
    try:
        return {"value": work(links, json.loads(order))}
    except RankGone as gone:
        return {"gone": gone.rank}
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}


def _close(ends: list[socket.socket]) -> None:
    for end in ends:
        end.close()
