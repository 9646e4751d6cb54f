"""Arms: a lab trains several variants in one run, and a resume finds back into the right one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch import nn
from torch.optim import Optimizer

from trainer import checkpoint

if TYPE_CHECKING:
    from trainer.worker import ActiveRun


@dataclass
class Arm:
    """One variant: `start` is the run's step before its first, `extra` what the lab kept."""

    run: "ActiveRun"
    name: str
    start: int
    steps: int
    extra: dict[str, Any] = field(default_factory=dict)
    _saved: dict[str, Any] | None = None

    def restore(self, model: nn.Module, optimizer: Optimizer) -> int:
        """Put weights, optimizer and random states back; return the arm's step to go on from."""
        if self._saved is None:
            return 0
        model.load_state_dict(self._saved["model"])
        optimizer.load_state_dict(self._saved["optimizer"])
        checkpoint.set_random_state(self._saved["random"])
        return int(self._saved["step"])

    def state(
        self, model: nn.Module, optimizer: Optimizer, step: int, **extra: Any
    ) -> dict[str, Any]:
        """Return all that a resume needs: finished arms' results, weights, random states."""
        current = {
            "arm": self.name,
            "step": step,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "random": checkpoint.random_state(),
            "extra": extra,
        }
        return {"results": self.run.results, "current": current}

    def finish(self, result: dict[str, Any]) -> None:
        """Keep what this arm found, for the lab's end and for every later checkpoint."""
        self.run.results[self.name] = result


def unfinished(run: "ActiveRun", steps: dict[str, int]) -> Iterator[Arm]:
    """Yield the arms that have no result yet, in order; ends when the run is asked to stop."""
    current = run.restored.get("current", {})
    start = 0
    for name, count in steps.items():
        if name not in run.results:
            saved = current if current.get("arm") == name else None
            extra = dict(saved["extra"]) if saved else {}
            yield Arm(run, name, start, count, extra, saved)
        if run.should_stop:
            return
        start += count
