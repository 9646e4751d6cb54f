"""Which version answers for which model: champions followed, swapped when warm, earlier ones kept.

All of it runs on the event loop; only reading and warming up a version happens in a thread.
"""

import asyncio
import contextlib
import sys
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trainer.serve import versions
from trainer.serve.backend import Backend
from trainer.serve.stats import Stats
from trainer.serve.versions import Loaded, Settings
from trainer.serve.wire import Refused

POLL_S = 0.5
_AGAIN_S = 30.0  # a version that could not be loaded is tried again after that
_MOST_EARLIER = 3  # versions beside the current one, of each model


@dataclass
class Model:
    """One name: its current version, earlier ones that somebody asked for, and its counters."""

    name: str
    folder: Path | None = None  # None for an extra, whose only version never changes
    current: Loaded | None = None
    earlier: "OrderedDict[str, Loaded]" = field(default_factory=OrderedDict)
    stats: Stats = field(default_factory=Stats)
    problem: str | None = None  # why the champion is not the one that answers
    failed: tuple[str, float] = ("", 0.0)
    settled: asyncio.Event = field(default_factory=asyncio.Event)  # its first load has ended
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_ready(self) -> bool:
        """Whether it answers now."""
        return self.current is not None and self.current.batcher.is_alive

    def all(self) -> list[Loaded]:
        """Return every loaded version."""
        return [*([self.current] if self.current else []), *self.earlier.values()]

    def loaded(self, version: str | None) -> Loaded | None:
        """Return a version, the current one by default, if it is loaded."""
        if version is None or (self.current and self.current.version == version):
            return self.current
        return self.earlier.get(version)

    def has(self, version: str) -> bool:
        """Whether there is a folder of that version, whose name was checked before."""
        return self.folder is not None and (self.folder / version).is_dir()

    def told(self) -> dict[str, Any]:
        """Return what the stats route says."""
        return {
            "model": self.name,
            "version": self.current.version if self.current else None,
            "is_ready": self.is_ready,
            "problem": self.problem,
            **self.stats.as_dict(),
            "queue_rows": sum(one.batcher.queue_rows for one in self.all()),
            "bare": self.current.bare.points() if self.current else [],
        }


class Models:
    """The models of one runs folder, and the extras that were asked for."""

    def __init__(self, runs: Path, settings: Settings, only: frozenset[str] = frozenset()) -> None:
        """Serve nothing yet; `only` names the models that are wanted, all if it is empty."""
        self._runs, self._settings, self._only = runs, settings, only
        self._by_name: dict[str, Model] = {}

    def __iter__(self) -> Any:
        """All models, by name."""
        return iter(sorted(self._by_name.values(), key=lambda model: model.name))

    @property
    def are_ready(self) -> bool:
        """Whether every version that should answer does."""
        return all(model.is_ready for model in self._by_name.values() if model.current)

    async def add(self, name: str, backend: Backend) -> None:
        """Serve a model that is not in the runs folder, as version 1."""
        model = self._by_name[name] = Model(name)
        starting = asyncio.to_thread(versions.start, "1", backend, self._settings, model.stats)
        self._put(model, await starting)

    async def watch(self) -> None:
        """Follow the champions for ever; whatever goes wrong is tried again."""
        while True:
            with contextlib.suppress(OSError):
                await self.look()
            await asyncio.sleep(POLL_S)

    async def look(self) -> None:
        """Bring every model to its champion, one after another."""
        wanted = await asyncio.to_thread(versions.champions, self._runs)
        for name, version in wanted.items():
            if self._only and name not in self._only:
                continue
            folder = self._runs / versions.MODELS / name
            model = self._by_name.setdefault(name, Model(name, folder))
            async with model.lock:
                await self._follow(model, version)
            model.settled.set()
        for model in list(self._by_name.values()):
            if model.folder and not model.folder.is_dir():
                self._drop(model)

    def find(self, name: str) -> Model:
        """Return a model.

        Raises:
            Refused: 404, when there is none of that name.
        """
        if name not in self._by_name:
            raise Refused(404, f"there is no model {name[:80]!r}; has one been registered?")
        return self._by_name[name]

    async def prepare(self, name: str, version: str | None) -> Model:
        """Return a model with that version loaded; the current one is waited for at first.

        Raises:
            Refused: 404 for an unknown model or version, 503 with the reason for a broken one.
        """
        if name not in self._by_name and versions.NAME.fullmatch(name):
            await self.look()  # registered a moment ago
        model = self.find(name)
        if model.loaded(version) is None:
            await model.settled.wait()
        if version is not None and model.loaded(version) is None:
            await self._load_earlier(model, version)
        if model.loaded(version) is None:
            raise Refused(503, f"{name} cannot answer: {model.problem}", retry_after_s=5)
        return model

    def close(self) -> None:
        """Let every version answer what it holds."""
        for model in list(self._by_name.values()):
            self._drop(model)

    async def _follow(self, model: Model, version: str) -> None:
        """Load a new champion, then change the one pointer, then close the old version."""
        if model.is_ready and model.current and model.current.version == version:
            model.problem = None
            return
        if model.failed[0] == version and time.monotonic() - model.failed[1] < _AGAIN_S:
            return
        try:
            self._put(model, await self._load(model, version, model.current))
            model.problem, model.failed = None, ("", 0.0)
        except Exception as error:  # a broken version never replaces one that works
            model.problem = f"version {version} cannot be used: {error}"
            model.failed = (version, time.monotonic())
            print(f"{model.name}: {model.problem}", file=sys.stderr, flush=True)

    async def _load(self, model: Model, version: str, after: Loaded | None) -> Loaded:
        assert model.folder is not None
        return await asyncio.to_thread(self._read, model.folder, version, model.stats, after)

    def _read(self, folder: Path, version: str, stats: Stats, after: Loaded | None) -> Loaded:
        backend = versions.read(folder / version, self._settings.threads)
        loaded = versions.start(version, backend, self._settings, stats, after)
        with contextlib.suppress(OSError):  # the curve is also among the stats
            loaded.bare.write(folder / f"bare-{version}.json")
        return loaded

    def _put(self, model: Model, loaded: Loaded) -> None:
        old, model.current = model.current, loaded
        model.stats.change(loaded.version)
        model.settled.set()
        for before in (old, model.earlier.pop(loaded.version, None)):
            if before:
                before.batcher.close()

    async def _load_earlier(self, model: Model, version: str) -> None:
        async with model.lock:
            if model.loaded(version) is not None:
                return
            if not versions.VERSION.fullmatch(version) or not model.has(version):
                raise Refused(404, f"{model.name} has no version {version[:20]!r}")
            try:
                model.earlier[version] = await self._load(model, version, None)
            except ValueError as error:
                why = f"version {version} of {model.name} cannot be used: {error}"
                raise Refused(503, why, retry_after_s=60) from error
            while len(model.earlier) > _MOST_EARLIER:
                model.earlier.popitem(last=False)[1].batcher.close()

    def _drop(self, model: Model) -> None:
        del self._by_name[model.name]
        for loaded in model.all():
            loaded.batcher.close()
