"""What stands beside a kept model so that it can be put together again: read and checked, no torch.

The weights themselves are read in `trainer/travelling.py`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from trainer.errors import BadSetting, UnknownRun
from trainer.run import Run
from trainer.run_config import DATA, RunStatus
from trainer.runs import find

MODEL = "model.safetensors"
_LISTS = ("sizes", "vocabulary", "alarms", "causes")
_PLAIN = ("data", "dials", "split", "tickets", "seed", "parent", "sha256")
_MOST_LAYERS, _WIDEST = 8, 65_536


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A kept model in words: its sizes and words, and the tickets it learned from.

    Attributes:
        sizes: units of each layer, from the inputs to the causes.
        vocabulary, alarms, causes: what its inputs and outputs stand for.
        columns: how a learner's own columns are read; none for tickets and texts.
        data: hash of the data set; `dials` are what the set is made from.
        split: "row", "device" or "month".
        tickets: how many it learned from; `seed` drew them and split the data set.
        parent: the run whose model it went on from.
        sha256: of the weights.
    """

    sizes: tuple[int, ...]
    vocabulary: tuple[str, ...]
    alarms: tuple[str, ...]
    causes: tuple[str, ...]
    columns: tuple[dict[str, Any], ...]
    data: str
    dials: dict[str, Any]
    split: str
    tickets: int
    seed: int
    parent: str | None
    sha256: str

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """Builds from what `config.json` holds.

        Raises:
            ValueError: something is missing or fits nothing.
        """
        try:
            lists: dict[str, Any] = {name: tuple(values[name]) for name in _LISTS}
            plain: dict[str, Any] = {name: values[name] for name in _PLAIN}
            kept = cls(**lists, **plain, columns=tuple(values.get("columns", ())))
            is_sound = kept._is_sound()
        except (KeyError, TypeError) as error:
            raise ValueError(f"not the description of a kept model: {error}") from error
        if not is_sound:
            raise ValueError("not the description of a kept model")
        return kept

    def _is_sound(self) -> bool:
        words = (*self.vocabulary, *self.alarms, *self.causes)
        return (
            2 <= len(self.sizes) <= _MOST_LAYERS
            and all(_is_count(size) and 0 < size <= _WIDEST for size in self.sizes)
            and all(isinstance(word, str) for word in words)
            and self.sizes[-1] == len(self.causes)
            and 0 < len(self.vocabulary) + len(self.columns) <= self.sizes[0]
            and DATA.fullmatch(f"{self.data}.{self.split}") is not None
            and _is_count(self.tickets)
            and _is_count(self.seed)
        )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def of_run(runs: Path, run_id: str) -> tuple[Run, Kept]:
    """The finished run of that name, and what it kept.

    Raises:
        BadSetting: in one sentence, why nothing can be built on it.
    """
    try:
        run = find(runs, run_id)
    except UnknownRun as error:
        raise BadSetting(
            f"The run {run_id} whose model was asked for is gone; choose another, or none."
        ) from error
    if run.status is not RunStatus.FINISHED:
        raise BadSetting(
            f"The run {run_id} has not finished, so its model may still change; wait or resume it."
        )
    values = run.artifact("config")
    if not isinstance(values, dict) or not (run.path / "artifacts" / MODEL).is_file():
        raise BadSetting(f"The run {run_id} kept no model; choose a run of lab four_brakes.")
    try:
        return run, Kept.of(values)
    except ValueError as error:
        raise BadSetting(
            f"What the run {run_id} kept cannot be put together again; run its lab once more."
        ) from error
