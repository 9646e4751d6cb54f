"""MLflow's registered models as a copy of the registry's book: brought up to date, never read.

`replay` may be called at any time and any number of times. A version in MLflow is known by our
number and by the hash of its weights. Its files are plain artifacts of its run: no model flavour of
MLflow is used, because those run code when they are loaded.
"""

import contextlib
from pathlib import Path
from typing import Any

from trainer.errors import BadState
from trainer.registry import book, shelf
from trainer.registry.book import Entry
from trainer.registry.version import FILES, PREFIX, folder_of
from trainer.tracking import catching_up, environment
from trainer.tracking.store import Store, told

ALIAS = "champion"
_Key = tuple[str, str]  # our number and the hash of the weights
_Made = tuple[str, str]  # MLflow's number, and its id of the run
RUN, VERSION, HASH = "stagecoach.run", "stagecoach.version", "stagecoach.sha256"


def replay(runs: Path, store: Store) -> None:
    """Make every version and alias in MLflow that the book has and MLflow lacks.

    Raises:
        HistoryError: when MLflow cannot be used now; the next call goes on where this one ended.
    """
    entries, offset = book.read(runs)
    try:
        for model in dict.fromkeys(entry.model for entry in entries):
            with told():
                _model(runs, store, model, [e for e in entries if e.model == model])
    finally:
        # A promoter that was killed cannot rename `champion` any more; what it wrote down counts.
        with contextlib.suppress(BadState):
            shelf.settle(runs, patience_s=0.2)
    catching_up.note(runs, offset)


def _model(runs: Path, store: Store, model: str, entries: list[Entry]) -> None:
    client = store.client
    if not client.search_registered_models(f"name = '{model}'", max_results=1):
        tags = {"stagecoach.learner": model.removeprefix(PREFIX)}
        client.create_registered_model(model, tags, "Names the cause of a ticket of the Alarm Desk")
    made = _made(client, model)
    for entry in entries:
        if entry.kind == "version" and _is_wanted(store, entry, made):
            number = _make(runs, store, entry)
            if number:
                made[_key(entry)] = number, ""
    best = book.champion(entries, model)
    keys = [_key(entry) for entry in entries if entry.kind == "version" and entry.version == best]
    wanted = made.get(keys[-1]) if keys else None
    held = client.get_registered_model(model).aliases.get(ALIAS)
    if wanted and str(held) != wanted[0]:
        client.set_registered_model_alias(model, ALIAS, wanted[0])


def _is_wanted(store: Store, entry: Entry, made: dict[_Key, _Made]) -> bool:
    """Whether MLflow lacks a version; one of a run that was recorded anew is taken away first."""
    if _key(entry) not in made:
        return True
    number, run = made[_key(entry)]
    now = store.find(entry.run or "")
    if now is None or now == run:
        return False
    store.client.delete_model_version(entry.model, number)
    return True


def _key(entry: Entry) -> _Key:
    return str(entry.version), entry.sha256 or ""


def _made(client: Any, model: str) -> dict[_Key, _Made]:
    """Return what MLflow holds of each of our versions of this model."""
    made: dict[_Key, _Made] = {}
    token = None
    while True:
        page = client.search_model_versions(f"name = '{model}'", page_token=token)
        for each in page:
            key = each.tags.get(VERSION, ""), each.tags.get(HASH, "")
            made[key] = str(each.version), each.run_id or ""
        token = page.token
        if not token:
            return made


def _make(runs: Path, store: Store, entry: Entry) -> str | None:
    """Make one version; None where that cannot be: its folder was removed by hand, for example."""
    folder = folder_of(runs, entry.model) / str(entry.version)
    if not all((folder / name).is_file() for name in FILES):
        return None
    client, mlflow_id = store.client, store.find(entry.run or "")
    source = folder.resolve().as_uri()
    if mlflow_id is None and environment.sqlite_file(runs) is None:
        return None  # a server takes no file of ours without the run that it belongs to
    if mlflow_id:
        place = f"registered/{entry.version}"
        for name in FILES:
            client.log_artifact(mlflow_id, str(folder / name), place)
        source = f"{client.get_run(mlflow_id).info.artifact_uri}/{place}"
    about = {RUN: entry.run, "stagecoach.data": entry.data, "stagecoach.parent": entry.parent}
    tags = {name: value for name, value in about.items() if value}
    tags |= {VERSION: str(entry.version), HASH: entry.sha256 or ""}
    made = client.create_model_version(entry.model, source, mlflow_id, tags)
    return str(made.version)
