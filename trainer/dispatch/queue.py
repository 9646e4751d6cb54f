"""Who runs next: fair share among learners, then first come; pure rules, no processes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A run in line: `units` are slots of its device kind."""

    id: str
    learner: str
    queued_at: float
    device: str = "cpu"
    units: int = 1


@dataclass(frozen=True, kw_only=True)
class QueueEntry:
    """What a waiting learner is told; `wait_s` is an estimate in seconds, None if unknown."""

    id: str
    place: int
    wait_s: float | None = None


def order(
    waiting: Iterable[Waiting], running: Mapping[str, int], served: Mapping[str, float]
) -> list[Waiting]:
    """Return the line: whoever has fewest runs going or ahead of them comes next.

    Among equals the learner whose last start is longest ago, then the run that came first.
    `running` counts each learner's running runs, `served` holds the Unix time of their last start.
    """
    shares = Counter(running)
    left = sorted(waiting, key=lambda run: (run.queued_at, run.id))
    line: list[Waiting] = []
    while left:
        chosen = min(left, key=lambda run: (shares[run.learner], served.get(run.learner, 0.0)))
        left.remove(chosen)
        shares[chosen.learner] += 1
        line.append(chosen)
    return line


def admit(line: Iterable[Waiting], free: Mapping[str, int]) -> list[Waiting]:
    """Return the runs that may start now; on its device nobody is overtaken."""
    room, blocked = dict(free), set()
    admitted = []
    for run in line:
        if run.device in blocked:
            continue
        if room.get(run.device, 0) >= run.units:
            room[run.device] -= run.units
            admitted.append(run)
        else:
            blocked.add(run.device)
    return admitted


def expected_wait_s(place: int, slots: int, usual_s: float | None, running: int) -> float | None:
    """Return a rough wait in seconds for `place` (1 is next), from how long such runs take."""
    if usual_s is None:
        return None
    ahead = running + place - 1
    return usual_s * max(0.5, ahead / max(1, slots))
