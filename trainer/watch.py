"""What an operator sees of a child run: its losses, its saves, its silence, its last words."""

import time
from collections.abc import Iterator
from math import isfinite
from statistics import median
from typing import Any, Literal

from trainer.children import LEAVE_S, Child
from trainer.events import Event
from trainer.goodput import Costs, usual
from trainer.run import Run
from trainer.worker import ActiveRun

Symptom = Literal["died", "silent", "not_finite", "slow_saves"]
Point = tuple[str, int, dict[str, Any]]  # series, step, figures
_SLOW_S, _SLOWER = 0.3, 5.0  # a save is slow beyond both: seconds, and times the usual
_FORGIVING = 10.0  # a process that is not held may be silent so many times as long
_STEP_S, _SAVE_S = 1e-3, 1e-2  # where a child of another life left nothing to measure
_LONGEST_LOOK_S = 0.5  # more between two looks was the watch's own pause, not the child's


class Watch:
    """One child, from its first event on, over all its lives.

    `before` holds the loss of each step until the fault, `after` of each step since it was mended.
    A symptom is read from losses, saves and the process alone, never from the name of the fault.
    """

    def __init__(self, child: Child, name: str, patience_s: float) -> None:
        """`name` is the series until a fault; `patience_s` is how long it may be silent."""
        self.child, self.name, self.patience_s = child, name, patience_s
        self.before: dict[int, float] = {}
        self.after: dict[int, float] = {}
        self.is_hurt = False
        self.resumed_from: int | None = None
        self.data: str | None = None
        self.step_s: list[float] = []
        self.save_s: list[float] = []
        self.restart_s: float | None = None
        self._last: Event | None = None  # the step before, unless a save came in between
        self._at: dict[bool, dict[int, float]] = {False: {}, True: {}}  # by "was it mended"
        self._is_sick = self._is_slow = self._is_training = False
        self._silent_s, self._looked_at = 0.0, time.monotonic()

    @property
    def is_mended(self) -> bool:
        """Whether it went on after its fault."""
        return self.resumed_from is not None

    @property
    def wound(self) -> int:
        """The last step before the fault; where losses went bad, the first bad one."""
        return max(self.before, default=0)

    @property
    def lost(self) -> int:
        """Steps that were done and were not in the checkpoint from which it went on."""
        return self.wound - self.resumed_from if self.resumed_from is not None else 0

    @property
    def again(self) -> list[int]:
        """Steps that were computed a second time."""
        return sorted(self.before.keys() & self.after.keys())

    @property
    def losses(self) -> dict[int, float]:
        """The loss of each step as it stands in the end."""
        return self.before | self.after

    def news(self) -> Iterator[Point]:
        """Take what the child has written since, and give what belongs on the curve."""
        for event in self.child.news():
            self._silent_s = 0.0
            match event.kind:
                case "metrics":
                    yield from self._step(event)
                case "checkpoint":
                    self._save(event)
                case "sample":
                    self._sample(event.values)
                case "started" | "resumed":
                    self._live(event)

    def look(self) -> Symptom | None:
        """What is wrong with the child now, None while all seems well."""
        now = time.monotonic()
        self._silent_s += min(now - self._looked_at, _LONGEST_LOOK_S)
        self._looked_at = now
        if not self.child.is_going:
            return None if self.child.is_finished else "died"
        if self._is_sick and not self.is_mended:
            return "not_finite"
        if self._is_silent():
            return "silent"
        return "slow_saves" if self._is_slow and not self.is_mended else None

    def stop(self, symptom: Symptom) -> Symptom:
        """Ask the child to stop, and wait; return the symptom, another if it died meanwhile."""
        self.child.ask_to_stop("stopped by the night shift")
        self.child.wait(LEAVE_S)
        return "died" if self.child.run.error else symptom

    def words(self, symptom: Symptom) -> str:
        """Return a symptom in a sentence, as it stood before anybody knew the fault."""
        sentences = {
            "silent": f"No event came for {self.patience_s:g} s, and the process stood still.",
            "not_finite": "The loss was not a number.",
            "slow_saves": "A checkpoint took much longer to write than the ones before.",
        }
        unseen = "It was stopped before anybody saw what was wrong."
        return sentences.get(symptom) or self.child.run.error or unseen

    def told(self) -> str:
        """Return how it went in sentences: the symptom, what was lost, what was done again."""
        symptom = self.child.run.notes.get("symptom", "No fault was noticed.")
        if self.resumed_from is None:
            return f"{symptom} Nothing had to be computed again."
        again = len(self.again)
        return (
            f"{symptom} The training had come to step {self.wound:,} and went on from step "
            f"{self.resumed_from:,}: {self.lost:,} steps were lost, {again:,} computed again."
        )

    def night(self, since_t: float) -> list[tuple[str, float, float]]:
        """Return what it did from when to when, in seconds after a moment in Unix time."""
        first, then = self._at[False], self._at[True]
        if not first or not then or self.resumed_from is None:
            ends = (min(first.values(), default=since_t), max(first.values(), default=since_t))
            return [("trains", ends[0] - since_t, ends[1] - since_t)]
        begun, saved = first[min(first)], first.get(self.resumed_from, first[min(first)])
        back = then[min(then)]
        marks = [begun, saved, first[self.wound], back, then.get(self.wound, back), then[max(then)]]
        kinds = ("trains", "lost", "down", "again", "trains")
        spans = zip(kinds, marks, marks[1:], strict=False)
        return [(kind, a - since_t, b - since_t) for kind, a, b in spans if b > a]

    @property
    def began_t(self) -> float:
        """When its first step was done, in Unix time."""
        return min(self._at[False].values(), default=0.0)

    def _is_silent(self) -> bool:
        """Making tickets and loading them takes time: until the first step only the held count."""
        if self._silent_s <= self.patience_s:
            return False
        is_held = self.child.process is not None and self.child.process.is_held
        return is_held or (self._is_training and self._silent_s > _FORGIVING * self.patience_s)

    def _step(self, event: Event) -> Iterator[Point]:
        self._is_training = True
        step, loss = event.step, float(event.values["train/loss"])
        if self._last is not None and step == self._last.step + 1:
            self.step_s.append(event.t - self._last.t)
        self._last = event
        self._at[self.is_mended].setdefault(step, event.t)
        if self.is_mended:
            if self.restart_s is None:
                self.restart_s = event.t - self._at[False].get(self.wound, event.t)
            self.after.setdefault(step, loss)
            yield "resumed", step, event.values
        elif not self._is_sick:
            self.before.setdefault(step, loss)
            self._is_sick = not isfinite(loss)
            yield self.name, step, event.values

    def _save(self, event: Event) -> None:
        if self._last is None:
            return
        self._is_slow = bool(self.save_s) and event.t - self._last.t > max(
            _SLOW_S, _SLOWER * median(self.save_s)
        )
        self.save_s.append(event.t - self._last.t)
        self._last = None

    def _sample(self, values: dict[str, Any]) -> None:
        if values["name"] == "fault":
            self.is_hurt = True
        elif values["name"] == "data":
            self.data = str(values["value"])

    def _live(self, event: Event) -> None:
        self._last, self._is_slow, self._is_training = None, False, False
        if self.is_hurt and not self.is_mended:
            self.resumed_from = int(event.values.get("from_step", 0))


def costs(whole: Watch, hurt: Watch, mtbf_s: float) -> Costs:
    """Return the times that were measured: steps and saves undisturbed, the restart of the hurt."""
    return Costs(
        step_s=usual(whole.step_s, _STEP_S),
        save_s=usual(whole.save_s, _SAVE_S),
        restart_s=hurt.restart_s or 0.0,
        mtbf_s=mtbf_s,
    )


class Curves:
    """What the watches see, as curves of the parent's own: each step of each series once.

    Losses are told by series; what else the hurt one measures is what the kept model can do.
    """

    def __init__(self, run: ActiveRun, series: tuple[str, ...]) -> None:
        """Know how far each series had come before this life of the parent."""
        self._run = run
        known = Run(run.path)
        self.steps = {name: max(_steps(known, name), default=0) for name in series}
        self._data: str | None = None

    def follow(self, watch: Watch) -> None:
        """Log what is new."""
        for series, step, figures in watch.news():
            if step > self.steps[series]:
                self.steps[series] = step
                told = {f"{series}.train/loss": figures["train/loss"]}
                if watch.is_hurt:
                    told |= {name: figures[name] for name in figures if name != "train/loss"}
                self._run.log(step, **told)
        if watch.data not in (None, self._data):
            self._data = watch.data
            self._run.show("data", watch.data)


def _steps(run: Run, series: str) -> list[int]:
    return [step for step, _ in run.metric(f"{series}.train/loss")]
