"""Follow one run's folder for any number of viewers; who they are is left to `stream`."""

import asyncio
import contextlib
import os
import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from trainer import events, reading
from trainer.history import WORDS, History
from trainer.runs import Run, RunStatus

TICK_S = 0.1  # a person sees no difference below it; each tick costs one send a viewer
_REST_S = 0.5  # an ended run may be resumed: look now and then
_LOOK_S = 1.0  # how often process and queue are asked
_WAIT_LOOK_S = 0.25  # the same while the run waits: its place is news
_READING_S = 2.0  # a sentence is read, perhaps aloud, so it changes no oftener
_KEPT_FRAMES = 300  # 30 s of ticks: a tab away for less goes on without a fresh history
_MAX_READ = 1 << 18  # bytes a tick reads on the event loop; the first read has a thread
_LIVE = ("starting", "running", "paused")
ENDED = ("stopped", "failed", "finished", "gone")


@dataclass(frozen=True)
class Look:
    """What events cannot tell: the place in the queue, and the death of a silent worker."""

    place: int | None = None
    places: int = 0
    wait_s: float | None = None
    is_dead: bool = False
    is_gone: bool = False
    error: str = ""
    lives: int = 0  # how many life events were known: a look is void once there are more


def look(folder: Path) -> Look:
    """Return the present state of process and queue; reads files, so call it in a thread."""
    if not (folder / events.FILE).is_file():
        return Look(is_gone=True)
    run = Run(folder)
    status = run.status
    if status is RunStatus.SCHEDULED and not run.is_starting:
        return _place(folder)
    is_dead = status is RunStatus.FAILED
    return Look(is_dead=is_dead, error=(run.error or "") if is_dead else "")


def word(folder: Path) -> str:
    """Return the run's state in the one word that viewers are told, worked out from its files."""
    seen = look(folder)
    if seen.is_gone:
        return "gone"
    run = Run(folder)
    status = run.status
    if status is RunStatus.SCHEDULED:
        return "starting" if seen.place is None else "queued"
    if status is RunStatus.RUNNING:
        return "paused" if run.is_paused else "running" if run.metrics else "starting"
    return WORDS[status]


def _place(folder: Path) -> Look:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        queue = orjson.loads((folder.parent / ".dispatcher" / "queue.json").read_bytes())
        for entry in queue:
            if entry["id"] == folder.name:
                return Look(int(entry["place"]), len(queue), entry.get("wait_s"))
    return Look()


class Tail:
    """Reads one run's event file; keeps what viewers old and new need, in bounded memory."""

    def __init__(self, folder: Path) -> None:
        """Start to follow; `moved` is set (and replaced) whenever there is something to send."""
        self.folder, self.offset, self.viewers = folder, 0, 0
        self.history = History()
        self.status: dict[str, Any] = {}
        self.moved = asyncio.Event()
        self.is_ready = False
        self._look = Look()
        self._frames: deque[tuple[int, int, bytes]] = deque(maxlen=_KEPT_FRAMES)
        self._newcomer: tuple[int, bytes] = (-1, b"")
        self._reading_due = 0.0
        self.task = asyncio.create_task(self._follow())

    def after(self, offset: int) -> list[bytes]:
        """Return what takes a viewer from `offset` to now: frames, or a history without them."""
        if offset == self.offset:
            return []
        for index, (start, _, _) in enumerate(self._frames):
            if start == offset:
                return [frame for _, _, frame in list(self._frames)[index:]]
        if self._newcomer[0] != self.offset:
            self._newcomer = (self.offset, self._whole())
        return [self._newcomer[1]]

    def told(self) -> bytes:
        """Return the status alone, as a message that adds no point."""
        return self._message({}, status=self.status)

    async def _follow(self) -> None:
        await asyncio.to_thread(self._catch_up)
        await self._glance()
        self.is_ready = True
        self._tell(has_moved=True)
        clock = asyncio.get_running_loop().time
        looked = clock()
        while True:
            has_moved = self._read()
            if clock() - looked >= self._patience():
                await self._glance()
                looked = clock()
            self._tell(has_moved=has_moved)
            await asyncio.sleep(_REST_S if self.status["word"] in ENDED else TICK_S)

    def _patience(self) -> float:
        if self._look.lives != self.history.lives:
            return 0.0
        return _WAIT_LOOK_S if self.history.word == "queued" else _LOOK_S

    async def _glance(self) -> None:
        lives = self.history.lives
        with contextlib.suppress(ValueError, KeyError, TypeError, OSError):  # foreign files
            self._look = await asyncio.to_thread(look, self.folder)
        self._look = replace(self._look, lives=lives)

    def _catch_up(self) -> None:
        """Read a file of any length; nobody is served before it is done."""
        while self._read():
            self._frames.clear()

    def _read(self) -> bool:
        """Take the complete lines that are new; half a line waits for the next tick."""
        try:
            with (self.folder / events.FILE).open("rb") as file:
                if os.fstat(file.fileno()).st_size < self.offset:
                    self._start_over()
                file.seek(self.offset)
                chunk = file.read(_MAX_READ)
        except OSError:
            return False
        whole = chunk.rfind(b"\n") + 1
        if not whole:
            return False
        self._take(chunk[:whole])
        return True

    def _start_over(self) -> None:
        self.offset, self.history = 0, History()
        self._frames.clear()

    def _take(self, chunk: bytes) -> None:
        fresh = self.history.take(chunk)
        start, self.offset = self.offset, self.offset + len(chunk)
        if fresh.is_rewound or start == 0:
            self._frames.clear()  # everybody gets a fresh history
            return
        parts = {part: self._part(part) for part in fresh.parts | self._due()}
        self._frames.append((start, self.offset, self._message(fresh.series(), **parts)))

    def _due(self) -> set[str]:
        """Say whether the curves are to be read again: now and then, and at the end."""
        now = time.monotonic()
        if now < self._reading_due and self.history.word not in ENDED:
            return set()
        self._reading_due = now + _READING_S
        return {"reading"}

    def _tell(self, *, has_moved: bool) -> None:
        status = self._status()
        if status == self.status and not has_moved:
            return
        if status != self.status:
            self.status = status
        self.moved.set()
        self.moved = asyncio.Event()

    def _status(self) -> dict[str, Any]:
        seen, word = self._look, self.history.word
        reason = self.history.reason
        if seen.is_gone:
            word = "gone"
        elif word in _LIVE and seen.is_dead and seen.lives == self.history.lives:
            word, reason = "failed", seen.error
        elif word == "queued" and seen.place is None:
            word = "starting"  # taken from the line, or about to be put into it
        status: dict[str, Any] = {"word": word, "reason": reason, "device": self.history.device}
        if word == "queued":
            status |= {"place": seen.place, "places": seen.places, "wait_s": seen.wait_s}
        return status | {"malformed": self.history.malformed}

    def _part(self, part: str) -> Any:
        if part == "samples":
            return {name: value for name, (_, value) in self.history.samples.items()}
        if part == "reading":
            return reading.of_lines(self.history.lines)
        return getattr(self.history, part)

    def _whole(self) -> bytes:
        parts = {part: self._part(part) for part in ("plan", "samples", "finding", "reading")}
        return self._message(self.history.series(), reset=True, **parts)

    def _message(self, series: dict[str, Any], *, reset: bool = False, **parts: Any) -> bytes:
        seen = self.history
        head = {"run": self.folder.name, "at": self.offset, "t": seen.t, "reset": reset}
        return orjson.dumps(
            head | {"step": seen.step, "seconds": seen.seconds, "series": series} | parts,
            option=orjson.OPT_NON_STR_KEYS,
        )
