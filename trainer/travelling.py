"""The model that later stages use: the tickets it learns from, how it is kept, one answer of it.

Legend: N tickets, F columns.
"""

import json
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from trainer import tickets
from trainer.datasets.splits import split
from trainer.datasets.store import Desk, answers
from trainer.datasets.words import Vocabulary, drop_hedge_frames
from trainer.evaluation import logits, score
from trainer.worker import ActiveRun

Examples = tuple[Tensor, Tensor]  # inputs (N, F), labels (N,)
HANDY = (90, 210)  # characters of a ticket that is pleasant to show


@dataclass(frozen=True, kw_only=True)
class Sets:
    """Tickets to learn from, to validate with and to test with: three groups of devices.

    `cut` are the training inputs with the frames of hedges ("ruled out: ...") left out. The
    vocabulary holds words of training tickets only; they are the last columns of the inputs.
    """

    desk: Desk
    vocabulary: Vocabulary
    train: Examples
    cut: Tensor
    validation: Examples
    test: Examples
    test_rows: tickets.Ints

    @classmethod
    def of(cls, desk: Desk, count: int, seed: int, device: torch.device) -> Self:
        """Draws `count` tickets to learn from, as many as there are at most."""
        rows = split(desk, by="device", seed=seed)
        drawn = np.random.default_rng([seed, 2]).permutation(rows.train)[:count]
        vocabulary = Vocabulary.fit(desk.texts[row] for row in drawn)
        alarms = tickets.alarm_columns(desk)
        labels = torch.from_numpy(desk.recorded)

        def inputs(chosen: tickets.Ints, *, is_cut: bool = False) -> Tensor:
            texts = [desk.texts[row] for row in chosen]
            texts = [drop_hedge_frames(text) for text in texts] if is_cut else texts
            blocks = {
                "alarms": alarms[chosen],
                "words": tickets.word_columns(texts, vocabulary),
            }
            return tickets.join(blocks, device)[0]

        def examples(chosen: tickets.Ints) -> Examples:
            return inputs(chosen), labels[torch.from_numpy(chosen)].to(device)

        return cls(
            desk=desk,
            vocabulary=vocabulary,
            train=examples(drawn),
            cut=inputs(drawn, is_cut=True),
            validation=examples(rows.validation),
            test=examples(rows.unseen),
            test_rows=rows.unseen,
        )


def keep(run: ActiveRun, model: nn.Module, sets: Sets, about: dict[str, Any]) -> None:
    """Puts weights and all that is needed to use them beside the run, over what was kept before."""
    run.save("model.safetensors", save(model.state_dict()))
    needed = {
        "causes": list(sets.desk.causes),
        "alarms": list(sets.desk.alarm_names),
        "vocabulary": list(sets.vocabulary.words),
        "data": sets.desk.folder.name,
        "origin": "synthetic",
    }
    run.save("config.json", json.dumps(needed | about, indent=1))


def put_back(run: ActiveRun, model: nn.Module) -> None:
    """Loads the kept weights into `model`."""
    model.load_state_dict(load((run.path / "artifacts" / "model.safetensors").read_bytes()))


def open_test(run: ActiveRun, sets: Sets, before: nn.Module, after: nn.Module) -> float:
    """Opens the test tickets, once, for the kept weights, which go into `after`; gives accuracy.

    Also keeps what the untrained `before` and the trained model say of one of these tickets.
    """
    put_back(run, after)
    if found := answer(sets, before, after):
        run.save("answer", found)
    return score(after, *sets.test).accuracy


def answer(sets: Sets, before: nn.Module, after: nn.Module) -> dict[str, Any] | None:
    """A test ticket that `before` got wrong and `after` right, the surest one of a handy length.

    None if there is no such ticket.
    """
    inputs, labels = sets.test
    said = [logits(model, inputs).softmax(dim=1).max(dim=1) for model in (before, after)]
    truth = answers(sets.desk.folder).true[sets.test_rows]
    is_turned = (said[0].indices != labels) & (said[1].indices == labels)
    found = np.flatnonzero(is_turned.cpu().numpy() & (truth == sets.desk.recorded[sets.test_rows]))
    if not len(found):
        return None
    lengths = np.array([len(sets.desk.texts[row]) for row in sets.test_rows[found]])
    is_handy = (lengths >= HANDY[0]) & (lengths <= HANDY[1])
    sure = said[1].values.cpu().numpy()[found] + is_handy
    place = int(found[sure.argmax()])
    ticket = sets.desk.tickets[sets.test_rows[place]]
    both = [
        {"cause": sets.desk.causes[int(one.indices[place])], "p": float(one.values[place])}
        for one in said
    ]
    return {
        "ticket_id": ticket["ticket_id"],
        "text": ticket["text"],
        "before": both[0],
        "after": both[1],
        "truth": sets.desk.causes[int(truth[place])],
    }
