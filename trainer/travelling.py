"""The model that later stages use: what it starts from, how it is kept, one answer of it."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from trainer import beginning, kept, tables, ticket_source
from trainer.datasets.dials import Dials
from trainer.datasets.store import prepare
from trainer.datasets.words import Vocabulary
from trainer.errors import BadSetting
from trainer.evaluation import logits, score
from trainer.models import TicketClassifier
from trainer.sets import Sets
from trainer.worker import ActiveRun

__all__ = ["Journey", "Sets", "answer", "keep", "open_test", "put_back", "travel"]

HANDY = (90, 210)  # characters of a ticket that is pleasant to show


@dataclass(frozen=True, kw_only=True)
class Journey:
    """What a run starts from: its tickets, and how the model it goes on with is made.

    `weights` are those of the run `parent`; without one, models start afresh.
    """

    sets: Sets
    sizes: tuple[int, ...]
    seed: int
    parent: str | None = None
    weights: dict[str, Tensor] | None = None

    def model(
        self, *, seed: int | None = None, dropout: float = 0.0, word_dropout: float = 0.0
    ) -> TicketClassifier:
        """A new model on the run's device: alarms and words of a ticket in, a score a cause out."""
        torch.manual_seed(self.seed if seed is None else seed)
        num_words = len(self.sets.vocabulary)
        model = TicketClassifier(
            sizes=self.sizes, num_words=num_words, dropout=dropout, word_dropout=word_dropout
        )
        if self.weights is not None:
            model.load_state_dict(self.weights)
        return model.to(self.sets.train[0].device)

    @property
    def config(self) -> dict[str, Any]:
        """All that rebuilds such a model, as plain JSON-able values."""
        return _config(self.sets, self.sizes, self.parent)


def travel(
    run: ActiveRun,
    *,
    tickets: int,
    width: int,
    label_noise: float = 0.06,
    begin: str = beginning.TRAINED,
) -> Journey:
    """What this run starts from: its parent's model and tickets, else the data set it names.

    Without either it makes the usual tickets with `label_noise`. With a parent, data set, split,
    words and sizes are the parent's, and `tickets` and `width` do not count; to `begin` afresh
    leaves only its weights behind.

    Raises:
        BadSetting: in one sentence, why parent or data set cannot be used.
    """
    named = run.config.data_and_split
    if run.config.parent is not None:
        journey = _from_parent(run, run.config.parent, named)
        return replace(journey, weights=None) if begin == beginning.AFRESH else journey
    if named is None:
        by = "device"
        folder = prepare(run.runs, Dials(tickets=max(6000, 4 * tickets), label_noise=label_noise))
    else:
        folder, by = ticket_source.folder(run.runs, named[0], run.config.learner), named[1]
    desk = tables.load(run.uses(folder))
    by = by if by in tables.splits(desk) else "row"
    run.show("own", tables.told(desk, by))
    sets = Sets.of(desk, tickets, run.seed, run.device, by=by)
    sizes = (sets.train[0].shape[1], width, width, len(desk.causes))
    return Journey(sets=sets, sizes=sizes, seed=run.seed)


def _from_parent(run: ActiveRun, parent: str, named: tuple[str, str] | None) -> Journey:
    before, found = kept.of_run(run.runs, parent)
    if named not in (None, (found.data, found.split)):
        raise BadSetting(
            f"The run {parent} learned from tickets {found.data} split by {found.split}; "
            f"leave data away, or name these."
        )
    weights = read_weights((before.path / "artifacts" / kept.MODEL).read_bytes(), found, parent)
    learner = run.config.learner
    desk = tables.load(run.uses(ticket_source.folder(run.runs, found.data, learner, found.dials)))
    run.show("own", tables.told(desk, found.split))
    sets = Sets.of(
        desk,
        found.tickets,
        found.seed,
        run.device,
        by=found.split,
        vocabulary=Vocabulary(found.vocabulary),
    )
    own = (tuple(desk.alarm_names), desk.causes, sets.columns)
    is_same = own == (found.alarms, found.causes, found.columns)
    if not is_same or sets.train[0].shape[1] != found.sizes[0]:
        raise BadSetting(f"The tickets have other columns than the model of {parent} was made for.")
    return Journey(sets=sets, sizes=found.sizes, seed=run.seed, parent=parent, weights=weights)


def read_weights(content: bytes, found: kept.Kept, parent: str) -> dict[str, Tensor]:
    """The tensors, if they are the kept ones and fit a model of these sizes by name and shape.

    Raises:
        BadSetting: they are not.
    """
    with torch.device("meta"):
        wanted = TicketClassifier(sizes=found.sizes, num_words=len(found.vocabulary)).state_dict()
    try:
        tensors = load(content)
    except SafetensorError as error:
        raise BadSetting(f"The weights that the run {parent} kept cannot be read.") from error
    shapes = [
        {name: (tensor.shape, tensor.dtype) for name, tensor in each.items()}
        for each in (tensors, wanted)
    ]
    if shapes[0] != shapes[1] or hashlib.sha256(content).hexdigest() != found.sha256:
        raise BadSetting(f"The weights that the run {parent} kept do not fit its model.")
    return tensors


def keep(run: ActiveRun, model: TicketClassifier, sets: Sets, about: dict[str, Any]) -> None:
    """Puts weights and all that is needed to use them beside the run, over what was kept before."""
    weights = save(model.state_dict())
    run.save(kept.MODEL, weights)
    told = {"sha256": hashlib.sha256(weights).hexdigest()}
    needed = _config(sets, model.sizes, run.config.parent) | told
    run.save("config.json", json.dumps(needed | about, indent=1))


def _config(sets: Sets, sizes: tuple[int, ...], parent: str | None) -> dict[str, Any]:
    return {
        "sizes": list(sizes),
        "num_words": len(sets.vocabulary),
        "causes": list(sets.desk.causes),
        "alarms": list(sets.desk.alarm_names),
        "vocabulary": list(sets.vocabulary.words),
        "columns": list(sets.columns),
        "origin": sets.desk.card["origin"],
        "data": sets.desk.folder.name,
        "dials": sets.desk.card["dials"],
        "split": sets.by,
        "tickets": len(sets.train[0]),
        "seed": sets.seed,
        "parent": parent,
    }


def put_back(run: ActiveRun, model: TicketClassifier) -> None:
    """Loads the kept weights into `model`."""
    model.load_state_dict(load((run.path / "artifacts" / kept.MODEL).read_bytes()))


def open_test(
    run: ActiveRun, sets: Sets, before: TicketClassifier, after: TicketClassifier
) -> float:
    """Opens the test tickets, once, for the kept weights, which go into `after`; gives accuracy.

    Also keeps what the untrained `before` and the trained model say of one of these tickets.
    """
    put_back(run, after)
    if found := answer(sets, before, after):
        run.save("answer", found)
    return score(after, *sets.test).accuracy


def answer(sets: Sets, before: TicketClassifier, after: TicketClassifier) -> dict[str, Any] | None:
    """A test ticket that `before` got wrong and `after` right, the surest one of a handy length.

    None if there is no such ticket.
    """
    inputs, labels = sets.test
    said = [logits(model, inputs).softmax(dim=1).max(dim=1) for model in (before, after)]
    truth = tables.truth(sets.desk)[sets.test_rows]
    is_turned = (said[0].indices != labels) & (said[1].indices == labels)
    found = np.flatnonzero(is_turned.cpu().numpy() & (truth == sets.desk.recorded[sets.test_rows]))
    if not len(found):
        return None
    lengths = np.array([len(sets.desk.texts[row]) for row in sets.test_rows[found]])
    is_handy = (lengths >= HANDY[0]) & (lengths <= HANDY[1])
    sure = said[1].values.cpu().numpy()[found] + is_handy
    place = int(found[sure.argmax()])
    row = int(sets.test_rows[place])
    both = [
        {"cause": sets.desk.causes[int(one.indices[place])], "p": float(one.values[place])}
        for one in said
    ]
    return {
        "ticket_id": tables.name_of(sets.desk, row),
        "text": sets.desk.texts[row],
        "before": both[0],
        "after": both[1],
        "truth": sets.desk.causes[int(truth[place])],
    }
