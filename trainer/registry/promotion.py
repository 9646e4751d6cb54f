"""A finished run becomes a version: exported, checked, put in place, written down, crowned."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainer import kept, tables, ticket_source, tracking
from trainer.errors import BadSetting
from trainer.kept import Kept
from trainer.registry import book, export, shelf
from trainer.registry.version import CONFIG, GRAPH, WEIGHTS, Version, model_name
from trainer.runs import Run, find
from trainer.tables import Table

Tell = Callable[[str], None]
_HANDY = 180  # characters of a ticket that is pleasant to read
_COUNTED = ("tickets", "devices", "families", "duplicates", "wrong_labels", "with_personal_data")
_OF_CARD = ("title", "origin", "about", "generator_version", "ceilings")


def promote(
    runs: Path, run_id: str, learner: str | None = None, tell: Tell = lambda _: None
) -> Version:
    """Register a run's model and make it champion; a run that is a version already stays that one.

    Args:
        runs: the runs folder.
        run_id: the run whose kept model is meant.
        learner: who registers; only the run's own learner may. None means that learner.
        tell: hears in a few words what is being done.

    Raises:
        UnknownRun, BadSetting, BadState: with one sentence; nothing was registered then.
    """
    learner = find(runs, run_id).config.learner if learner is None else learner
    model = model_name(learner)
    run, found = kept.of_run(runs, run_id)
    if run.config.learner != learner:
        raise BadSetting(
            f"This run belongs to the learner {run.config.learner}; only they can register it."
        )
    twin = shelf.same(runs, model, run.id, found.sha256)
    number = _again(runs, twin) if twin else _make(runs, run, found, model, tell)
    tell("moving the alias")
    tracking.catch_up(runs, book.size(runs), may_load=True)
    shelf.settle(runs)
    return shelf.get(runs, learner, number)


def _again(runs: Path, version: Version) -> int:
    shelf.choose(runs, version.model, version.number)
    return version.number


def _make(runs: Path, run: Run, found: Kept, model: str, tell: Tell) -> int:
    tell("reading the model")
    artifacts = run.path / "artifacts"
    with shelf.making(runs, model) as aside:
        for name in (WEIGHTS, CONFIG):
            shutil.copyfile(artifacts / name, aside / name)
        network = export.build((aside / WEIGHTS).read_bytes(), found, run.id)
        desk = tables.load(ticket_source.folder(runs, found.data, run.config.learner, found.dials))
        tell("writing it as ONNX")
        export.write(network, aside / GRAPH)
        tell("comparing the ONNX file with the model")
        gate = export.compare(network, aside / GRAPH, export.examples(desk, found))
        tell("putting the version in place")
        return shelf.place(runs, model, aside, _card(run, found, desk, gate, aside))


def _card(run: Run, found: Kept, desk: Table, gate: export.Gate, aside: Path) -> dict[str, Any]:
    """Return what stands beside the weights: where they come from and what was measured of them."""
    scores = {name: run.metrics[name] for name in sorted(run.metrics) if name.startswith("test/")}
    return {
        "run": run.id,
        "lab": run.config.lab,
        "learner": run.config.learner,
        "parent": found.parent,
        "data": _data(found, desk),
        "ticket": _ticket(found, desk),
        "metrics": {name: {"value": value, "origin": "M"} for name, value in scores.items()},
        "files": {name: _hash(aside / name) for name in (WEIGHTS, CONFIG, GRAPH)},
        "export": gate.as_dict(),
    }


def _data(found: Kept, desk: Table) -> dict[str, Any]:
    """Return the data card in short, with the data set's hash and how it was split."""
    card = desk.card
    return {
        "id": found.data,
        "content": card["content"],
        "split": found.split,
        "seed": found.seed,
        "trained_on": found.tickets,
        "causes": len(desk.causes),
        "counts": {name: card["counts"][name] for name in _COUNTED if name in card["counts"]},
        **{name: card[name] for name in _OF_CARD},
    }


def _ticket(found: Kept, desk: Table) -> dict[str, Any]:
    """Return a test ticket that the model has never seen, for whoever wants to try it."""
    rows = tables.cut(desk, by=found.split, seed=found.seed).unseen
    lengths = [abs(len(desk.texts[row]) - _HANDY) for row in rows]
    row = int(rows[lengths.index(min(lengths))])
    return {
        "id": tables.name_of(desk, row),
        "text": desk.texts[row],
        "alarms": tables.alarms_of(desk, row),
        "true": desk.causes[int(tables.truth(desk)[row])],
    }


def _hash(place: Path) -> str:
    return hashlib.sha256(place.read_bytes()).hexdigest()
