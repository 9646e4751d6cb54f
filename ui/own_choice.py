"""Which data set of their own a learner has chosen, and what the next run then stands on."""

from typing import Any

from trainer import chain
from trainer.chain import Inputs
from trainer.owndata import lacks, making
from trainer.runs import Run, runs_folder
from ui import state

LABS = frozenset({chain.DATA_LAB, *chain.STANDING_LABS})
SPLITS = {"row": "by row", "device": "by group", "month": "by time"}
_ABOUT = {
    chain.DATA_LAB: ("ceiling", "dials", "device", "month"),
    chain.MODEL_LAB: ("ceiling", "cut_hedges", "augmentation", "device"),
}


def mine() -> list[dict[str, Any]]:
    """Return the cards of the learner's own data sets, the newest first."""
    return making.owned(runs_folder(), state.read().learner)


def chosen() -> dict[str, Any] | None:
    """Return the card of the one in the address; None where it is not the learner's."""
    wanted = state.read().data
    return next((card for card in mine() if card["id"] == wanted), None) if wanted else None


def card(digest: str) -> dict[str, Any] | None:
    """Return the card of a data set that somebody brought; None for synthetic tickets."""
    return making.card_of(runs_folder() / "data" / digest)


def inputs(lab: str, found: Inputs) -> Inputs:
    """Return what the next run of a lab stands on: `found`, unless own data was chosen.

    Where `found` stands on these very rows it stays: its split and its model are wanted too.
    """
    own = chosen() if lab in LABS else None
    if own is None or (found.data or "").startswith(own["id"]):
        return found
    if lab == chain.DATA_LAB:
        return Inputs(data=own["id"])
    return Inputs(data=f"{own['id']}.{'device' if lacks.has_groups(own) else 'row'}")


def labels(run: Run | None) -> dict[str, str]:
    """Return the words at the ends of a run's lines: of own data nothing is of a device."""
    if run is None or not run.record.samples.get("own"):
        return {}
    parts = {"val": "validation", "unseen": "put aside"}
    return {
        f"{split}.{part}/accuracy": f"{words.removeprefix('by ')}, {said}"
        for split, words in SPLITS.items()
        for part, said in parts.items()
    }


def missing(lab: str, found: dict[str, str]) -> list[str]:
    """Return the sentences on what this lab cannot do without."""
    return [found[name] for name in _ABOUT.get(lab, ()) if name in found]
