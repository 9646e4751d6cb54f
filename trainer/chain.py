"""The chain from tickets to served model: which links a learner has, fresh or stale and why.

Reads files only. What stands on what: the model learns from the tickets of stage 1, split as the
learner chose; it is spread, traced, broken and mended; it is registered; the champion is served.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from trainer import kept
from trainer.errors import BadSetting
from trainer.registry.version import Version, champion
from trainer.run_config import DATA, RunStatus
from trainer.runs import Run, find, list_runs

DATA_LAB, MODEL_LAB, SERVING_LAB = "split_trap", "four_brakes", "latency_or_throughput"
MODEL_LABS = {
    "networking": ("same_maths", "Spreads"),
    "software": ("follow_one_multiply", "Traces"),
    "operations": ("xid_night_shift", "Breaks and mends"),
}
STANDING_LABS = frozenset({MODEL_LAB, SERVING_LAB, *(lab for lab, _ in MODEL_LABS.values())})
REGISTRY = "registry"  # stands in for the stage of the champion, which is no run of a lab
_OLDER = "the model of an older training run"
_MOST_ANCESTORS = 50
_OWN_WORDS = {"device": "group", "month": "time"}  # splits of a learner's own data


@dataclass(frozen=True, kw_only=True)
class Link:
    """One link: the run it is made of and how it stands.

    Attributes:
        why: a sentence where the link is stale.
        what, value: what it gave, in a word and a measured figure.
        data: the tickets it gives or learned from, as `RunConfig.data` names them.
        version: number of the registered champion.
    """

    stage: str
    lab: str
    run: str | None = None
    state: Literal["missing", "fresh", "stale"] = "missing"
    why: str = ""
    what: str = ""
    value: float | None = None
    data: str | None = None
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What a new run of a lab stands on, as `RunConfig` takes it."""

    data: str | None = None
    parent: str | None = None


def chain(runs: Path, learner: str) -> tuple[Link, ...]:
    """The seven links of a learner, from the tickets to the served model."""
    found = _finished(runs, learner)
    data = _data(runs, found)
    training = _training(runs, found, data)
    spread = [
        _on_model(runs, Link(stage=stage, lab=lab), found(lab), training, verb)
        for stage, (lab, verb) in MODEL_LABS.items()
    ]
    registered = _registered(runs, learner, training)
    base = registered if registered.run else training
    serving = Link(stage="serving", lab=SERVING_LAB)
    return (
        data,
        training,
        *spread,
        registered,
        _on_model(runs, serving, found(SERVING_LAB), base, "Serves"),
    )


def inputs(runs: Path, learner: str, lab: str) -> Inputs:
    """What a new run of that lab stands on; nothing for a lab outside the chain."""
    links = {link.stage: link for link in chain(runs, learner)}
    training = links["training"]
    if lab == MODEL_LAB:
        return Inputs(data=links["data"].data)
    if lab not in STANDING_LABS:
        return Inputs()
    registered = links[REGISTRY]
    base = registered if lab == SERVING_LAB and _kept(runs, registered.run) else training
    if base.run is None:
        return Inputs(data=links["data"].data)
    return Inputs(data=base.data, parent=base.run)


def split_of(run: Run) -> str:
    """The split that the learner chose after a run of stage 1; else by device, where it has one."""
    chosen, found = run.notes.get("split"), splits_of(run)
    if isinstance(chosen, str) and chosen in found:
        return chosen
    return "row" if "row" in found and "device" not in found else "device"


def splits_of(run: Run) -> tuple[str, ...]:
    """The splits that a run of stage 1 trained on."""
    return tuple(by for by in ("row", "device", "month") if f"{by}.val/accuracy" in run.metrics)


_Finished = Callable[[str], list[Run]]


def _finished(runs: Path, learner: str) -> _Finished:
    """The learner's finished runs of a lab: the one that ended or was chosen last comes first."""
    by_lab: dict[str, list[Run]] = {}
    for run in list_runs(runs, learner=learner):
        life = run.record.life
        if life and life.kind == "ended" and life.values.get("status") == RunStatus.FINISHED:
            by_lab.setdefault(run.config.lab, []).append(run)
    return lambda lab: sorted(by_lab.get(lab, []), key=_at, reverse=True)


def _at(run: Run) -> float:
    chosen = run.notes.get("split_at")
    return max(run.ended_at or 0.0, chosen if isinstance(chosen, float) else 0.0)


def _data(runs: Path, found: _Finished) -> Link:
    link = Link(stage="data", lab=DATA_LAB)
    for run in found(DATA_LAB):
        split = split_of(run)
        data = f"{run.record.samples.get('data')}.{split}"
        if DATA.fullmatch(data) and not _is_deleted(runs, run):
            promised = run.metrics.get(f"{split}.val/accuracy")
            what = f"by {_OWN_WORDS.get(split, split) if _is_own(run) else split}:"
            return replace(link, run=run.id, state="fresh", data=data, what=what, value=promised)
    return link


def _is_deleted(runs: Path, run: Run) -> bool:
    """Whether the run learned from a learner's own data set that is no more."""
    data = str(run.record.samples.get("data"))
    return _is_own(run) and not (runs / "data" / data).is_dir()


def _is_own(run: Run) -> bool:
    return bool(run.record.samples.get("own"))


def _training(runs: Path, found: _Finished, data: Link) -> Link:
    link = Link(stage="training", lab=MODEL_LAB)
    for run in found(MODEL_LAB):
        model = _kept(runs, run.id)
        if model is None:
            continue
        own = f"{model.data}.{model.split}"
        accuracy = run.metrics.get("test/accuracy")
        link = replace(link, run=run.id, data=own, what="right", value=accuracy)
        if data.data in (None, own):
            return replace(link, state="fresh")
        return replace(link, state="stale", why=_other_tickets(own, str(data.data)))
    return link


def _other_tickets(own: str, now: str) -> str:
    (mine, my_split), (theirs, split) = (data.split(".") for data in (own, now))
    if mine == theirs:
        return f"Trained on another split than stage 1 gives now: by {my_split}, not by {split}."
    return f"Trained on other tickets than stage 1 gives now: {mine[:4]}, not {theirs[:4]}."


def _on_model(runs: Path, link: Link, found: list[Run], base: Link, verb: str) -> Link:
    """A link that stands on the model of `base`."""
    if not found:
        return link
    run = found[0]
    finding = run.finding
    what, value = (finding.name.replace("_", " "), finding.value) if finding else ("", None)
    link = replace(link, run=run.id, what=what, value=value, data=base.data)
    why = _why_stale(runs, run, base, verb)
    return replace(link, state="stale" if why else "fresh", why=why)


def _why_stale(runs: Path, run: Run, base: Link, verb: str) -> str:
    if base.run is None:
        return ""
    if base.run not in (run.id, *_ancestors(runs, run)):
        is_champion = base.stage == REGISTRY
        if run.config.parent is None:
            now = "the champion" if is_champion else "the one of stage 2"
            return f"{verb} a model of its own, not {now}."
        older = "another model than today's champion" if is_champion else _OLDER
        return f"{verb} {older}."
    return f"{verb} a model that is stale itself." if base.state == "stale" else ""


def _registered(runs: Path, learner: str, training: Link) -> Link:
    link = Link(stage=REGISTRY, lab="")
    version = _champion(runs, learner)
    if version is None:
        return link
    model = _kept(runs, version.run)
    link = replace(
        link,
        run=version.run,
        version=version.number,
        what=f"version {version.number}:",
        value=version.accuracy,
        data=f"{model.data}.{model.split}" if model else None,
    )
    why = ""
    run = _find(runs, version.run)
    is_made_of = run is not None and training.run in (run.id, *_ancestors(runs, run))
    if training.run is not None and not is_made_of:
        why = f"Holds {_OLDER}."
    elif training.state == "stale":
        why = "Holds a model that is stale itself."
    return replace(link, state="stale" if why else "fresh", why=why)


def _champion(runs: Path, learner: str) -> Version | None:
    try:
        return champion(runs, learner)
    except BadSetting:  # a learner with a name that no model could have
        return None


def _ancestors(runs: Path, run: Run | None) -> Iterator[str]:
    for _ in range(_MOST_ANCESTORS):
        if run is None or run.config.parent is None:
            return
        yield run.config.parent
        run = _find(runs, run.config.parent)


def _find(runs: Path, run_id: str | None) -> Run | None:
    try:
        return find(runs, run_id or "")
    except ValueError:
        return None


def _kept(runs: Path, run_id: str | None) -> kept.Kept | None:
    if run_id is None:
        return None
    try:
        return kept.of_run(runs, run_id)[1]
    except BadSetting:
        return None
