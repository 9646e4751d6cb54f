"""A training that serves between its steps: counts and logs them all, saves, obeys."""

from typing import Any

from torch.optim import Optimizer

from trainer.arms import Arm
from trainer.evaluation import score
from trainer.loop import Step
from trainer.models import TicketClassifier
from trainer.serve.answers import batches
from trainer.serve.made import Shelf
from trainer.serve.swap import swapping
from trainer.serve.trial import Trial
from trainer.sets import Examples
from trainer.worker import ActiveRun

SLICES = 5  # logged of each load
VALIDATED = 50  # times in an arm


class Sitting:
    """One arm of such a run, from where its checkpoint left off.

    Attributes:
        done: steps of the arm, of training and of loads together.
        loads: figures of the loads so far, in order.
        marks: `[step, words]` for the curves.
        beside: the load under way beside the training, whose requests are counted.
    """

    def __init__(
        self,
        run: ActiveRun,
        arm: Arm,
        model: TicketClassifier,
        optimizer: Optimizer,
        validation: Examples,
    ) -> None:
        """Put weights, optimizer and random states back."""
        self._validation = validation
        self.run, self._arm, self._model, self._optimizer = run, arm, model, optimizer
        self.done = arm.restore(model, optimizer)
        self.loads: list[dict[str, Any]] = list(arm.extra.get("loads", []))
        self.marks: list[Any] = list(arm.extra.get("marks", []))
        self.beside: Trial | None = None
        self._before: dict[str, int] = dict(arm.extra.get("tally", {}))

    def trained(self, steps: int) -> int:
        """How many steps of training are done, of so many: the others were loads."""
        return min(self.done - len(self.loads) * SLICES, steps)

    @property
    def left(self) -> int:
        """Steps of the arm that are still to be done."""
        return self._arm.steps - self.done

    @property
    def tally(self) -> dict[str, int]:
        """Requests beside the training, by what became of them, over all lives of the run."""
        fresh = self.beside.tally if self.beside else {}
        names = sorted({*self._before, *fresh})
        return {name: self._before.get(name, 0) + fresh.get(name, 0) for name in names}

    def losses(self, step: Step) -> dict[str, Any]:
        """The loss of a step of training; now and then also what validation says."""
        found: dict[str, Any] = {f"{self._arm.name}.train/loss": step.loss}
        if step.index == 1 or step.index % max(1, self._arm.steps // VALIDATED) == 0:
            found[f"{self._arm.name}.val/loss"] = score(self._model, *self._validation).loss
        return found

    def log(self, figures: dict[str, Any], mark: str | None = None) -> bool:
        """Log a step, obey, and save when it is due; False when the run should end.

        `mark` are words for a line in the curves.
        """
        at = self._count(figures)
        if mark:
            self.marks.append([at, mark])
            self.run.show("marks", self.marks)
        if self.run.should_save(at):
            self._save()
        return not self.run.should_stop

    def load(self, trial: Trial, *, name: str, **asked: Any) -> bool:
        """Measure one load, slice by slice; it is one piece, so the run obeys only at its end."""
        trial.begin(**asked)
        at = 0
        for _ in range(SLICES):
            at = self._count(trial.slice(asked["seconds"] / SLICES))
        found = trial.finish().as_dict()
        sizes = {str(size): count for size, count in batches(trial.take(), trial.rows).items()}
        self.loads.append({"name": name, "batches": sizes} | found)
        self.run.should_save(at)
        self._save()
        return not self.run.should_stop

    def keep_on(self, trial: Trial, per_s: float) -> None:
        """Keep a load on beside the training; its requests are counted."""
        self.beside = trial
        trial.steady(per_s, self.run.seed)

    def swap(self, shelf: Shelf, model: TicketClassifier, seconds: float) -> bool:
        """Let the next version take over under load, logged in slices; False when it should end."""
        assert self.beside
        for words in swapping(shelf, model, self.beside, self.left):
            if not self.log(self.beside.slice(seconds), mark=words):
                return False
        self.finish()
        return True

    def finish(self, **result: Any) -> None:
        """End the load and keep what this arm found."""
        if self.beside:
            self.beside.stop()
        found = {"loads": self.loads, "tally": self.tally} if self.loads else {}
        self._arm.finish(found | result)

    def _count(self, figures: dict[str, Any]) -> int:
        self.done += 1
        at = self._arm.start + self.done
        self.run.log(at, **figures)
        return at

    def _save(self) -> None:
        """Write a checkpoint; before a stop, what is under way is waited for."""
        if self.beside and self.run.should_stop:
            self.beside.stop()
        extra = {"loads": self.loads, "marks": self.marks, "tally": self.tally}
        self.run.checkpoint(self._arm.state(self._model, self._optimizer, self.done, **extra))
