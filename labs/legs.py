"""The legs of the ninety seconds: what each of them does, and the figure it comes back with.

Each is a run like any other, on small settings, or the real registry and endpoint. What one leg
makes the next one stands on: the data set, the model, the version.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trainer.datasets import Dials, load, prepare
from trainer.dispatch import client
from trainer.errors import BadState
from trainer.registry import champion, model_name, promote
from trainer.runs import Run, RunConfig, RunStatus
from trainer.serve import client as endpoint
from trainer.serve.client import Endpoint
from trainer.tour import Leg

TICKETS = 4000
_LOOK_S = 0.1
_LIMIT_S = 120.0  # a leg's time limit; ten times what it takes on an idle machine


@dataclass
class Baggage:
    """What travels: whose job it is, and what the legs so far have made."""

    runs: Path
    learner: str
    data: str = ""
    model: str = ""
    version: int = 0


def _tickets(leg: Leg, baggage: Baggage) -> Leg:
    folder = prepare(baggage.runs, Dials(tickets=TICKETS))
    desk = load(folder)
    text = f"{len(desk):,} tickets of two years, all of them invented. Their hash is {folder.name}."
    return replace(leg, figure=f"{len(desk):,} tickets", text=text)


def _split(leg: Leg, baggage: Baggage) -> Leg:
    run = _finish(baggage, "split_trap", tickets=TICKETS)
    baggage.data = f"{run.record.samples['data']}.device"
    gap = 100 * _found(run)
    text = "So much did the split by row promise too much. The next leg uses the split by device."
    return replace(leg, run=run.id, figure=f"gap of {gap:.0f} points", text=text)


def _train(leg: Leg, baggage: Baggage) -> Leg:
    run = _finish(baggage, "four_brakes", data=baggage.data)
    baggage.model = run.id
    right = run.metrics["test/accuracy"]
    return replace(leg, run=run.id, figure=f"{right:.0%} right", text=_told(run))


def _spread(leg: Leg, baggage: Baggage) -> Leg:
    run = _finish(baggage, "same_maths", parent=baggage.model, workers=2, steps=200)
    return replace(leg, run=run.id, figure=f"losses equal to {_found(run):.0e}", text=_told(run))


def _trace(leg: Leg, baggage: Baggage) -> Leg:
    run = _finish(baggage, "follow_one_multiply", parent=baggage.model)
    return replace(leg, run=run.id, figure=f"{_found(run):.0f} operator calls", text=_told(run))


def _mend(leg: Leg, baggage: Baggage) -> Leg:
    run = _finish(baggage, "xid_night_shift", parent=baggage.model)
    return replace(leg, run=run.id, figure=f"{_found(run):.0f} steps again", text=_told(run))


def _register(leg: Leg, baggage: Baggage) -> Leg:
    version = promote(baggage.runs, baggage.model, baggage.learner)
    baggage.version = version.number
    text = f"It is version {version.number} of {version.model}, and its champion."
    return replace(leg, run=baggage.model, figure=f"version {version.number}", text=text)


def _serve(leg: Leg, baggage: Baggage) -> Leg:
    began = time.monotonic()
    there, name = endpoint.ensure(baggage.runs), model_name(baggage.learner)
    while _served(there, name) != str(baggage.version):
        if time.monotonic() - began > _LIMIT_S:
            raise BadState("The endpoint did not take up the new version.")
        time.sleep(_LOOK_S)
    waited = time.monotonic() - began
    return replace(
        leg, figure=f"ready after {waited:.1f} s", text=f"It answers at {there.address}."
    )


def _answer(leg: Leg, baggage: Baggage) -> Leg:
    version = champion(baggage.runs, baggage.learner)
    assert version is not None
    ticket = version.card["ticket"]  # one that the model has never seen
    there = endpoint.ensure(baggage.runs)
    said = endpoint.ask(there, baggage.learner, ticket["text"], ticket["alarms"])
    word = "right" if said.cause == ticket["true"] else f"wrong, it was {ticket['true']}"
    text = f"*{ticket['text']}* It says {said.cause}: {word}."
    figure = f"{said.cause}, {said.probability:.0%} sure"
    return replace(leg, figure=figure, text=text.replace("_", " "))


def _finish(
    baggage: Baggage,
    lab: str,
    *,
    data: str | None = None,
    parent: str | None = None,
    **settings: Any,
) -> Run:
    """Run a lab to its end by the dispatcher, as a click on Train would."""
    config = RunConfig(
        lab=lab,
        settings=settings,
        learner=baggage.learner,
        data=data,
        parent=parent,
        time_limit_s=_LIMIT_S,
    )
    run = client.submit(baggage.runs, config)
    while not run.has_ended:
        client.ensure(baggage.runs)
        time.sleep(_LOOK_S)
    if run.status is not RunStatus.FINISHED:
        raise BadState(f"Run {run.id} {run.status.lower()}: {run.error or run.reason}")
    return run


def _served(there: Endpoint, name: str) -> str | None:
    """The version that answers now; None while the model is not there yet."""
    try:
        return str(endpoint.state(there, name).get("version"))
    except BadState:
        return None


def _found(run: Run) -> float:
    assert run.finding is not None
    return run.finding.value


def _told(run: Run) -> str:
    return run.finding.text if run.finding else ""


ACTS: dict[str, Callable[[Leg, Baggage], Leg]] = {
    "tickets": _tickets,
    "split": _split,
    "train": _train,
    "spread": _spread,
    "trace": _trace,
    "mend": _mend,
    "register": _register,
    "serve": _serve,
    "answer": _answer,
}
