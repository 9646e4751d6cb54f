"""The lines between one rank and all others: bytes are counted and noted at the send call."""

import select
import socket
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.errors import RankGone, RankStuck

Numbers = NDArray[np.generic]
PATIENCE_S = 120.0  # without a single byte moved; a loaded machine may keep a rank waiting


class Links:
    """One rank's sockets to every other rank; each call returns when its bytes have moved."""

    def __init__(self, rank: int, world_size: int, lines: Mapping[int, socket.socket]) -> None:
        """Take over the sockets; `lines` leads from each other rank to its socket."""
        self.rank, self.world_size = rank, world_size
        self._lines = dict(lines)
        for line in self._lines.values():
            line.setblocking(False)
        self.sent = 0  # bytes, as the kernel took them
        self.log: list[dict[str, Any]] = []

    def clear(self) -> None:
        """Begin a new count and a new log."""
        self.sent, self.log = 0, []

    def send(self, to: int, data: Numbers, part: int = 0) -> None:
        """Hand all of `data` to a rank; `part` names the piece in the log."""
        self._move(to, _bytes(data), to, memoryview(b""), part)

    def receive(self, source: int, into: Numbers) -> None:
        """Fill `into` with what a rank sends."""
        self._move(source, memoryview(b""), source, _bytes(into), 0)

    def exchange(
        self, to: int, data: Numbers, source: int, into: Numbers, *, part: int = 0
    ) -> None:
        """Send and receive at the same time, so that a ring of full sockets never stands still."""
        self._move(to, _bytes(data), source, _bytes(into), part)

    def _move(self, to: int, out: memoryview, source: int, room: memoryview, part: int) -> None:
        begun, size = time.monotonic(), len(out)
        while out or room:
            self._wait(to if out else None, source if room else None)
            out = out[self._push(to, out) :]
            room = room[self._pull(source, room) :]
            if size and not out:
                self._note(to, part, size, begun)
                size = 0

    def _note(self, to: int, part: int, size: int, begun: float) -> None:
        times = {"begun": begun, "ended": time.monotonic()}
        self.log.append({"from": self.rank, "to": to, "part": part, "bytes": size} | times)

    def _push(self, to: int, out: memoryview) -> int:
        """Hand over what the kernel takes now; this is the one place where bytes are counted."""
        if not out:
            return 0
        try:
            taken = self._lines[to].send(out)
        except BlockingIOError:
            return 0
        except (BrokenPipeError, ConnectionResetError) as error:
            raise RankGone(to) from error
        self.sent += taken
        return taken

    def _pull(self, source: int, room: memoryview) -> int:
        if not room:
            return 0
        try:
            came = self._lines[source].recv_into(room)
        except BlockingIOError:
            return 0
        except ConnectionResetError as error:
            raise RankGone(source) from error
        if came == 0:
            raise RankGone(source)
        return came

    def _wait(self, to: int | None, source: int | None) -> None:
        """Sleep until one of the two can go on."""
        wanted: dict[int, int] = {}
        for rank, event in ((to, select.POLLOUT), (source, select.POLLIN)):
            if rank is not None:
                wanted[rank] = wanted.get(rank, 0) | event
        poll = select.poll()
        for rank, events in wanted.items():
            poll.register(self._lines[rank], events)
        if not poll.poll(PATIENCE_S * 1000):
            others = " and ".join(map(str, wanted))
            raise RankStuck(f"Rank {self.rank} waited {PATIENCE_S:.0f} s for rank {others}.")


def _bytes(values: Numbers) -> memoryview:
    return values.view(np.uint8).data
