"""In which state a lab stands: worked out from the run's files and the address, kept nowhere."""

from dataclasses import dataclass
from typing import Literal

from course.lesson import LabLesson
from trainer.catalogue import LabInfo
from trainer.runs import Run, RunStatus

Phase = Literal[
    "getting_ready",
    "predict",
    "planted",
    "queue",
    "starting",
    "running",
    "paused",
    "stopped",
    "failed",
    "finished",
]
WORDS: dict[Phase, str] = {
    "getting_ready": "Getting ready",
    "predict": "Not run yet",
    "planted": "Not run yet",
    "queue": "Waiting in line",
    "starting": "Starting",
    "running": "Running",
    "paused": "Paused",
    "stopped": "Stopped",
    "failed": "Failed",
    "finished": "Finished",
}
SENT: dict[Phase, str] = {"queue": "queued"}  # where the stream's word is another
MOVING: frozenset[Phase] = frozenset({"queue", "starting", "running", "paused"})


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A lab on the page: its words, its settings (None until the catalogue exists), its run."""

    lesson: LabLesson
    info: LabInfo | None
    run: Run | None = None
    is_planted: bool = False

    @property
    def phase(self) -> Phase:
        """The state now; ask once a drawing, the next answer may differ."""
        if self.run is not None:
            return of_run(self.run)
        if self.info is None:
            return "getting_ready"
        return "planted" if self.is_planted else "predict"

    @property
    def has_plan(self) -> bool:
        """Whether the run has said which lines will come."""
        return self.run is not None and bool(self.run.plan)


def of_run(run: Run) -> Phase:
    """Return the state that a run's files tell."""
    match run.status:
        case RunStatus.SCHEDULED:
            return "starting" if run.is_starting else "queue"
        case RunStatus.RUNNING:
            return "paused" if run.is_paused else "running"
        case RunStatus.KILLED:
            return "stopped"
        case RunStatus.FAILED:
            return "failed"
    return "finished"
