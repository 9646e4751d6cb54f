"""Follows the run folders and records what is new in MLflow each second; failures lose nothing."""

import contextlib
import fcntl
import os
import select
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from trainer import catalogue, events
from trainer.errors import BadState
from trainer.process import Identity
from trainer.registry import book
from trainer.runs import RUN_ID, Run
from trainer.tracking import digest, environment, health, registered, rows, trash
from trainer.tracking.digest import Progress
from trainer.tracking.health import HistoryError
from trainer.tracking.store import Store, prepare
from trainer.wake import state_folder

EVERY_S = 1.0
LEAVES_AFTER_S = 60.0
_TELLS_EVERY_S = 5.0
_BYTES_A_BATCH = 256 * 1024
_FILE = "mlflow.json"


class Recorder:
    """The one writer of a runs folder's history."""

    def __init__(self, runs: Path) -> None:
        """Nothing is opened yet."""
        self._runs = runs
        self._progress: dict[str, Progress] = {}
        self._store: Store | None = None
        self._store_is: object = None
        self._known: dict[str, tuple[str, bool]] = {}
        self._trash_is: float | None = None
        self._book_is = -1
        self.moved_at = time.monotonic()
        self.error, self.behind_s = "", 0.0

    def look(self) -> None:
        """Record everything that is new, and remember what went wrong."""
        began = time.time()
        self.error = ""
        try:
            store = self._open()
            oldest = min(self._follow_all(store), default=began)
            self._register(store)
        except HistoryError as failure:
            self.error, oldest = str(failure), began - self.behind_s - EVERY_S
        self.behind_s = time.time() - oldest

    @property
    def followed(self) -> int:
        """The number of runs that have been looked at."""
        return len(self._progress)

    def _open(self) -> Store:
        """Open the store, or open it anew when somebody has deleted it."""
        is_new = prepare(self._runs)
        now = self._identity()
        # A new file may get the inode of the one that was deleted, so both are asked.
        if is_new or self._store is None or now != self._store_is:
            store = Store(self._runs)
            self._progress, self._trash_is, self._book_is = {}, None, -1
            self._store, self._store_is = store, now
        trash_is = trash.changed_at(self._runs)
        if trash_is != self._trash_is:
            self._known = trash.settle(self._runs, self._store)
            self._trash_is = trash_is
        return self._store

    def _register(self, store: Store) -> None:
        """Bring MLflow's registered models up to the registry's book, when that has grown."""
        size = book.size(self._runs)
        if size != self._book_is and size:
            registered.replay(self._runs, store)
            self._book_is = size

    def _identity(self) -> object:
        file = environment.sqlite_file(self._runs)
        return (file.stat().st_dev, file.stat().st_ino) if file else environment.uri(self._runs)

    def _follow_all(self, store: Store) -> Iterator[float]:
        """Follow each run with news; yield when the oldest event of each batch happened."""
        for name in sorted(os.listdir(self._runs)):
            if not RUN_ID.fullmatch(name):
                continue
            try:
                if self._has_news(name):
                    yield from self._follow(Run(self._runs / name), store)
            except HistoryError as failure:
                health.check(self._runs)  # a store that fails for all ends this round
                self.error = str(failure)
            except (OSError, ValueError, TypeError, KeyError):
                continue  # a folder that is no run, or that was moved to the trash just now

    def _has_news(self, name: str) -> bool:
        size = (self._runs / name / events.FILE).stat().st_size
        return self._progress_of(name).offset < size

    def _progress_of(self, name: str) -> Progress:
        """Return how far a run has come in *this* store, else from the beginning."""
        if name not in self._progress:
            known = self._known.get(name, ("", False))[0]
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                read = Progress.from_json((self._runs / name / _FILE).read_bytes())
                if read.mlflow_run_id == known:
                    return self._progress.setdefault(name, read)
            self._progress[name] = Progress(mlflow_run_id=known)
        return self._progress[name]

    def _follow(self, run: Run, store: Store) -> Iterator[float]:
        """Record a run up to its last whole line, a batch at a time."""
        while True:
            # Work on a copy: a batch that fails leaves no trace, and is taken again.
            progress = Progress.from_json(self._progress_of(run.id).to_json())
            fresh, offset = events.read(run.path / events.FILE, progress.offset, _BYTES_A_BATCH)
            if offset == progress.offset:
                return
            self._record(run, fresh, progress, store)
            progress.offset = offset
            events.replace(run.path / _FILE, progress.to_json())
            self._progress[run.id] = progress
            self.moved_at = time.monotonic()
            if fresh:
                yield fresh[0].t

    def _record(
        self, run: Run, fresh: list[events.Event], progress: Progress, store: Store
    ) -> None:
        config = run.config
        found = catalogue.read(self._runs)
        lab = found.lab(config.lab) if found else None
        if not progress.mlflow_run_id:
            progress.mlflow_run_id = store.create(run.id, config, fresh[0].t if fresh else 0.0)
            self._known[run.id] = (progress.mlflow_run_id, False)
            texts = {"config.json": orjson.dumps(config.as_dict()).decode()}
            store.keep(progress.mlflow_run_id, texts | ({lab.file: lab.source} if lab else {}))
        batch = digest.take(fresh, progress)
        if batch.has_started:
            chosen = batch.settings or rows.settings(config, lab)
            store.set_params(progress.mlflow_run_id, rows.params(config, chosen))
        if batch.ended_at is not None and run.finding:
            finding = orjson.dumps(run.finding).decode()
            store.keep(progress.mlflow_run_id, {"finding.json": finding})
        store.add(progress.mlflow_run_id, batch)


def record(runs: Path) -> bool:
    """Record until asked to end or not needed; False if another recorder is at work here."""
    with only_one(runs) as is_mine:
        if not is_mine:
            return False
        bell, ring = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os.write(ring, b"x"))
        trash.purge(runs)
        recorder = Recorder(runs)
        told_at, needed_at = -_TELLS_EVERY_S, time.monotonic()
        is_asked, last = False, "unknown"
        while True:
            recorder.look()
            now = time.monotonic()
            if recorder.error != last or now - told_at >= _TELLS_EVERY_S:
                health.tell(runs, error=recorder.error, behind_s=recorder.behind_s)
                told_at, last = now, recorder.error
            if _has_dispatcher(runs):
                needed_at = now
            if is_asked or now - max(needed_at, recorder.moved_at) > LEAVES_AFTER_S:
                return True
            # The last round comes after the request to end, so a run's last word is recorded.
            is_asked = bool(select.select([bell], [], [], EVERY_S)[0])


def once(runs: Path) -> bool:
    """Record all that is new, where no recorder is at work; returns whether it was possible."""
    with only_one(runs) as is_mine:
        if not is_mine:
            return False
        recorder = Recorder(runs)
        recorder.look()
        return not recorder.error


def rebuild(runs: Path) -> int:
    """Delete the store and write it again from the run folders; return the number of runs.

    Raises:
        BadState: while a recorder is at work here.
        HistoryError: when the new store cannot be written.
    """
    with only_one(runs) as is_mine:
        if not is_mine:
            raise BadState("The recorder is at work here. End it with `make stop`, then try again.")
        trash.wipe(runs)
        recorder = Recorder(runs)
        recorder.look()
        health.tell(runs, error=recorder.error, behind_s=0.0)
        if recorder.error:
            raise HistoryError(recorder.error)
        return recorder.followed


@contextlib.contextmanager
def only_one(runs: Path) -> Iterator[bool]:
    """Hold the recorder's place; a record lock is gone with its process, however that ends."""
    lock = os.open(state_folder(runs) / "recorder.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)


def _has_dispatcher(runs: Path) -> bool:
    process = Identity.read(state_folder(runs) / "dispatcher.json")
    return process is not None and process.is_alive
