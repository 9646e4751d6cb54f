"""One side of a comparison, seen from the worker: ranks that train one model together.

Their states come back through open files without a name, so that nothing is left to clear away.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any

from torch import Tensor

from trainer.errors import BadSetting
from trainer.ranks import Ranks
from trainer.replica import Replica, read_state
from trainer.worker import ActiveRun


@dataclass(frozen=True, kw_only=True)
class Side:
    """Replicas that obey together; `averages` says whether they may average their gradients."""

    name: str
    ranks: Ranks
    averages: bool
    files: tuple[int, ...]
    data: str

    def step(self, step: int) -> tuple[float, list[dict[str, Any]]]:
        """Let all ranks take a step; the mean of their losses, and the notes of each."""
        notes = self.ranks.do({"do": "step", "step": step, "averages": self.averages})
        return sum(note["loss"] for note in notes) / len(notes), notes

    def look(self) -> list[dict[str, Any]]:
        """Checksums and distance of each rank; rank 0 has validated as well."""
        return self.ranks.do({"do": "look"})

    def states(self) -> list[dict[str, Tensor]]:
        """What a checkpoint needs: one state where ranks are alike, else that of each."""
        self.ranks.do({"do": "save", "files": self.files})
        return [read_state(file) for file in self.files]

    def keep(self, about: dict[str, Any]) -> float:
        """Have rank 0 keep its model for later stages; its accuracy on the test tickets."""
        accuracy: float = self.ranks.do({"do": "keep", "about": about})[0]
        return accuracy


@contextmanager
def side(
    run: ActiveRun, name: str, replica: Replica, world_size: int, *, averages: bool = True
) -> Iterator[Side]:
    """Fork `world_size` ranks that live while the block lasts, and have them make their models.

    Raises:
        BadSetting: if the model or the tickets that the run stands on cannot be used.
    """
    import torch._dynamo  # noqa: F401 - DDP would load it in each rank: a second, here but once

    meeting = run.path / ".meeting"
    meeting.unlink(missing_ok=True)  # left by a worker that was killed
    with ExitStack() as stack:
        files = tuple(
            stack.enter_context(TemporaryFile(buffering=0, dir=run.path)).fileno()
            for _ in range(1 if averages else world_size)  # ranks that are alike have one state
        )
        ranks = stack.enter_context(Ranks(world_size, replica))
        answers = ranks.do({"do": "begin", "name": name, "meeting": str(meeting)})
        meeting.unlink(missing_ok=True)
        for answer in answers:
            if "bad_setting" in answer:
                raise BadSetting(answer["bad_setting"])
        yield Side(name=name, ranks=ranks, averages=averages, files=files, data=answers[0]["data"])
