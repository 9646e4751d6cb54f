"""How far the one job has come: the links of the learner's chain as stops on the route."""

from pathlib import Path

from course.load import load
from trainer import chain
from trainer.chain import Link
from trainer.runs import Run
from ui import number
from ui.route import Station

KEPT_LAB = chain.MODEL_LAB  # the lab whose model the later stages use
_SUBS = {
    "data": "Clean and split tickets",
    "training": "A model learns from them",
    "networking": "Workers share the load",
    "software": "One multiply, opened up",
    "operations": "Break it, mend it",
    "serving": "It answers a ticket",
}


def stations(runs: Path, learner: str) -> list[Station]:
    """Return the stops in the chain's order: the six stages, the champion before the last."""
    return [_station(link) for link in chain.chain(runs, learner)]


def stages(runs: Path, learner: str) -> list[Station]:
    """Return the six stages alone."""
    return [station for station in stations(runs, learner) if station.is_stage]


def next_stage(found: list[Station]) -> str | None:
    """Return the first stage with a lab whose link is missing or stale."""
    with_lab = {lab.stage for lab in load().labs.values()}
    open_ones = (s.stage for s in found if s.is_stage and s.mark != "fresh" and s.stage in with_lab)
    return next(open_ones, None)


def accuracy(run: Run) -> float | None:
    """Return the accuracy of the model that a run kept: on test tickets, else on validation."""
    if "test/accuracy" in run.metrics:
        return run.metrics["test/accuracy"]
    values = [value for name, value in run.metrics.items() if name.endswith("val/accuracy")]
    return max((value for value in values if isinstance(value, float)), default=None)


def _station(link: Link) -> Station:
    is_stage = link.stage != chain.REGISTRY
    page, query = _place(link)
    return Station(
        stage=page,
        name=load().stages[link.stage].short if is_stage else "Champion",
        sub=_SUBS.get(link.stage, "The model in service"),
        mark=link.state,
        product=_product(link),
        origin="M" if link.value is not None else "",
        why=link.why,
        query=query,
        is_stage=is_stage,
    )


def _place(link: Link) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the page of a link and its run there; versions stand on the last stage's page."""
    if link.stage == chain.REGISTRY:
        return "serving", ()
    return link.stage, (("lab", link.lab), ("run", link.run)) if link.run else ()


def _product(link: Link) -> str:
    if link.value is None:
        return link.what
    figure = number.figure(link.value)
    return f"{figure} {link.what}" if link.stage == "training" else f"{link.what} {figure}"
