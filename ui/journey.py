"""How far the one job has come: which stations are done and what exists at each."""

from pathlib import Path

from course.load import load
from trainer.runs import Run, RunStatus, list_runs
from ui import desk, number
from ui.route import Station

KEPT_LAB = "four_brakes"  # the lab whose model the later stages use
_SUBS = {
    "data": "Clean and split tickets",
    "training": "A model learns from them",
    "networking": "Workers share the load",
    "software": "One multiply, opened up",
    "operations": "Break it, mend it",
    "serving": "It answers a ticket",
}


def stations(runs: Path, learner: str) -> list[Station]:
    """Return the six stations with what exists at each."""
    finished = [run for run in list_runs(runs, learner=learner) if _is_finished(run)]
    labs = {run.config.lab for run in finished}
    done = {lab.stage for lab in load().labs.values() if lab.id in labs}
    subs = _SUBS | _products(runs, finished)
    return [
        Station(stage=id_, name=stage.short, sub=subs[id_], is_done=id_ in done)
        for id_, stage in load().stages.items()
    ]


def next_stage(found: list[Station]) -> str | None:
    """Return the first station with a lab that is not done yet."""
    with_lab = {lab.stage for lab in load().labs.values()}
    open_ones = (s.stage for s in found if not s.is_done and s.stage in with_lab)
    return next(open_ones, None)


def accuracy(run: Run) -> float | None:
    """Return the accuracy of the model that a run kept: on test tickets, else on validation."""
    if "test/accuracy" in run.metrics:
        return run.metrics["test/accuracy"]
    values = [value for name, value in run.metrics.items() if name.endswith("val/accuracy")]
    return max((value for value in values if isinstance(value, float)), default=None)


def _products(runs: Path, finished: list[Run]) -> dict[str, str]:
    products: dict[str, str] = {}
    tickets = _tickets(runs)
    if tickets:
        products["data"] = f"{number.figure(tickets)} synthetic tickets"
    scores = [accuracy(run) for run in finished if run.config.lab == KEPT_LAB]
    best = max((score for score in scores if score is not None), default=None)
    if best is not None:
        products["training"] = f"{number.figure(best)} right (M)"
    return products


def _tickets(runs: Path) -> int | None:
    card = desk.card(runs)
    try:
        return int(card["counts"]["tickets"]) if card else None
    except (KeyError, TypeError, ValueError):
        return None


def _is_finished(run: Run) -> bool:
    return run.status is RunStatus.FINISHED
