"""What stands on a learner's own data set; asked before it is deleted."""

from collections.abc import Sequence
from pathlib import Path

from trainer.errors import BadState
from trainer.owndata import making
from trainer.runs import Run, list_runs


def runs_on(runs: Path, digest: str, learner: str) -> list[Run]:
    """The learner's runs that learned from the data set or will, the newest first."""
    return [run for run in list_runs(runs, learner=learner) if digest in _used(run)]


def delete(runs: Path, digest: str, learner: str) -> list[Run]:
    """Delete a learner's own data set; returns the runs that stood on it, which stay.

    Raises:
        BadState: it is not the learner's, or a run still learns from it.
    """
    found = runs_on(runs, digest, learner)
    for run in found:
        if not run.has_ended:
            raise BadState(
                f"The run {run.id} still learns from this data set. Stop it first. Nothing was "
                f"changed."
            )
    making.delete(runs, digest, learner)
    return found


def sentence(stood: Sequence[Run]) -> str:
    """What becomes of the runs."""
    if not stood:
        return "No run stands on it."
    count = "1 run stands" if len(stood) == 1 else f"{len(stood):,} runs stand"
    return f"{count} on it: figures and models stay, but they cannot be resumed or gone on from."


def _used(run: Run) -> set[str]:
    written = run.artifact("data")
    named = run.config.data_and_split
    return {
        *([named[0]] if named else []),
        *([str(written.get("data"))] if isinstance(written, dict) else []),
    }
