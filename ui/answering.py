"""The endpoint as a page may ask it: in the background, so that no page waits for it for long."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Generic, Literal, TypeVar

from trainer import registry
from trainer.errors import BadState, StagecoachError
from trainer.serve import client
from trainer.serve.client import Answer

_LOOK_S = 0.25
_ANSWER_S = 8.0
_SLOW = "The endpoint has not answered yet; it may be busy or still loading. Ask again in a moment."
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """How the endpoint stands: `words` say what is wrong, `version` which version answers."""

    state: Literal["starting", "loading", "ready", "failed"]
    address: str = ""
    version: str = ""
    words: str = ""


@dataclass
class _Call(Generic[_T]):
    """Something that is done in a thread; whoever wants its outcome waits as long as it likes."""

    act: Callable[[], _T]
    done: Event = field(default_factory=Event)
    value: _T | None = None
    error: StagecoachError | None = None

    def start(self) -> "_Call[_T]":
        Thread(target=self._run, name="endpoint", daemon=True).start()
        return self

    def _run(self) -> None:
        try:
            self.value = self.act()
        except StagecoachError as error:
            self.error = error
        except OSError as error:
            self.error = BadState(f"The endpoint could not be asked: {error}")
        finally:
            self.done.set()


_looks: dict[tuple[Path, str], _Call[Seen]] = {}
_starts: dict[Path, _Call[Any]] = {}
_lock = Lock()


def look(runs: Path, learner: str) -> Seen:
    """Return how the endpoint stands for a learner, and have it started where none lives."""
    if client.running(runs) is None:
        return _started(runs)
    key = runs, learner
    with _lock:
        call = _looks.get(key)
        if call is None:
            call = _looks[key] = _Call(lambda: _look(runs, learner)).start()
    if not call.done.wait(_LOOK_S):
        return Seen(state="loading")
    with _lock:
        _looks.pop(key, None)
    return call.value or Seen(state="loading")


def ask(runs: Path, learner: str, text: str, alarms: Sequence[str]) -> Answer:
    """Return what the learner's champion says of a ticket.

    Raises:
        BadState: with one sentence, why there is no answer.
    """
    call = _Call(lambda: client.ask(client.ensure(runs), learner, text, alarms)).start()
    if not call.done.wait(_ANSWER_S):
        raise BadState(_SLOW)
    if call.value is None:
        raise call.error or BadState(_SLOW)
    return call.value


def _started(runs: Path) -> Seen:
    with _lock:
        call = _starts.get(runs)
        if call is None or (call.done.is_set() and call.error is None):
            call = _starts[runs] = _Call(lambda: client.ensure(runs)).start()
    if call.done.is_set() and call.error is not None:
        with _lock:
            _starts.pop(runs, None)  # the next look tries again
        return Seen(state="failed", words=str(call.error))
    return Seen(state="starting")


def _look(runs: Path, learner: str) -> Seen:
    found = client.running(runs)
    if found is None:
        return Seen(state="starting")
    try:
        told = client.state(found, registry.model_name(learner))
    except BadState:  # it does not know the model yet
        return Seen(state="loading", address=found.address)
    version, problem = str(told.get("version") or ""), str(told.get("problem") or "")
    is_ready = bool(told.get("is_ready"))
    if not is_ready and problem:
        return Seen(state="failed", address=found.address, words=problem)
    state: Literal["ready", "loading"] = "ready" if is_ready else "loading"
    return Seen(state=state, address=found.address, version=version, words=problem)
