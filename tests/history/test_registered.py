"""MLflow's registered models follow the book, whenever and as often as it is replayed."""

import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.history import writer
from tests.history.conftest import Ask
from tests.history.waiting import until
from tests.registry import by_hand
from trainer import registry, tracking
from trainer.registry import book
from trainer.runs import find
from trainer.tracking import HistoryError, catching_up, recorder
from trainer.tracking.recorder import Recorder
from trainer.tracking.store import Store

pytestmark = pytest.mark.filterwarnings("ignore:The ``noload``:DeprecationWarning")

VERSIONS = "SELECT name, version FROM model_versions ORDER BY 1, 2"
ALIASES = "SELECT name, alias, version FROM registered_model_aliases ORDER BY 1"
TAGS = "SELECT name, version, key, value FROM model_version_tags ORDER BY 1, 2, 3"
MODEL = "alarm-desk.local"


def record(runs: Path) -> None:
    fresh = Recorder(runs)
    fresh.look()
    assert fresh.error == ""


def registered(runs: Path, count: int = 1) -> list[str]:
    """Recorded runs, each of them made a version."""
    names = [writer.finished(runs).id for _ in range(count)]
    for name in names:
        by_hand.make(runs, name)
    return names


def test_a_version_stands_in_mlflow_with_its_tags_its_alias_and_its_files(
    runs: Path, ask: Ask
) -> None:
    (run,) = registered(runs)
    record(runs)
    assert ask(VERSIONS) == [(MODEL, 1)]
    assert ask(ALIASES) == [(MODEL, "champion", 1)]
    assert ask(TAGS) == [
        (MODEL, 1, "stagecoach.data", "0123456789abcdef"),
        (MODEL, 1, "stagecoach.run", run),
        (MODEL, 1, "stagecoach.sha256", by_hand.card(run)["files"]["model.safetensors"]),
        (MODEL, 1, "stagecoach.version", "1"),
    ]
    ((source, mlflow_id),) = ask("SELECT source, run_id FROM model_versions")
    assert mlflow_id == Store(runs).find(run)
    kept = Path(str(source).removeprefix("file://"))
    assert {path.name for path in kept.iterdir()} == set(by_hand.FILES)
    assert not list((runs / "mlartifacts").rglob("MLmodel"))


def test_replaying_again_changes_nothing(runs: Path, ask: Ask) -> None:
    registered(runs, 2)
    record(runs)
    before = [ask(question) for question in (VERSIONS, ALIASES, TAGS)]
    tracking.replay(runs)
    record(runs)
    assert [ask(question) for question in (VERSIONS, ALIASES, TAGS)] == before


def test_the_alias_follows_a_roll_back(runs: Path, ask: Ask) -> None:
    registered(runs, 2)
    lasting = Recorder(runs)
    lasting.look()
    assert ask(ALIASES) == [(MODEL, "champion", 2)]
    registry.roll_back(runs, "local", 1)
    lasting.look()
    assert ask(ALIASES) == [(MODEL, "champion", 1)]
    assert ask(VERSIONS) == [(MODEL, 1), (MODEL, 2)]


def test_a_rebuilt_store_has_the_same_models(runs: Path, ask: Ask) -> None:
    registered(runs, 2)
    by_hand.make(runs, writer.finished(runs, learner="ada").id, "ada")
    registry.roll_back(runs, "local", 1)
    record(runs)
    before = [ask(question) for question in (VERSIONS, ALIASES, TAGS)]
    assert recorder.rebuild(runs) == 3
    assert [ask(question) for question in (VERSIONS, ALIASES, TAGS)] == before


def test_a_store_deleted_in_mid_life_is_filled_again(runs: Path, ask: Ask) -> None:
    registered(runs)
    lasting = Recorder(runs)
    lasting.look()
    (runs / "mlflow.db").unlink()
    lasting.look()
    assert ask(ALIASES) == [(MODEL, "champion", 1)]


@pytest.mark.parametrize(
    "step",
    ["create_registered_model", "log_artifact", "create_model_version",
     "set_registered_model_alias"],
)  # fmt: skip
@pytest.mark.parametrize("is_done", [False, True])
def test_a_recorder_that_ends_at_any_step_is_caught_up_by_the_next(
    runs: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch, step: str, is_done: bool
) -> None:
    registered(runs, 2)
    broken = Recorder(runs)
    store = broken._open()
    real = getattr(store.client, step)

    def ends(*given: Any, **named: Any) -> None:
        if is_done:
            real(*given, **named)
        raise OSError("the process ends here")

    monkeypatch.setattr(store.client, step, ends)
    broken.look()
    assert broken.error
    record(runs)
    assert ask(VERSIONS) == [(MODEL, 1), (MODEL, 2)]
    assert ask(ALIASES) == [(MODEL, "champion", 2)]


def test_a_locked_store_costs_no_promotion_and_is_caught_up(runs: Path, ask: Ask) -> None:
    run = writer.finished(runs)
    lasting = Recorder(runs)
    lasting.look()
    with closing(sqlite3.connect(runs / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        by_hand.make(runs, run.id)
        assert not tracking.catch_up(runs, book.size(runs), may_load=True)
        found = registry.champion(runs, "local")
        assert found is not None
        assert found.number == 1
    assert ask(VERSIONS) == []
    lasting.look()
    assert ask(ALIASES) == [(MODEL, "champion", 1)]


def test_a_store_that_cannot_be_reached_costs_no_roll_back(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    registered(runs, 2)
    assert registry.roll_back(runs, "local", 1, may_load=True).is_champion
    with pytest.raises(HistoryError, match="Your runs are safe"):
        tracking.replay(runs)


def test_the_recorder_finishes_what_a_killed_promoter_had_written_down(runs: Path) -> None:
    registered(runs, 2)
    (runs / "models" / MODEL / "champion").write_text("1\n")  # as if killed before the rename
    record(runs)
    found = registry.champion(runs, "local")
    assert found is not None
    assert found.number == 2


def test_a_version_whose_run_or_folder_is_gone_stops_nobody(runs: Path, ask: Ask) -> None:
    first, _, third = registered(runs, 3)
    shutil.rmtree(runs / first)
    shutil.rmtree(runs / "models" / MODEL / "2")
    record(runs)
    runs_of = dict(ask("SELECT version, run_id FROM model_versions"))
    assert runs_of == {1: None, 2: Store(runs).find(third)}
    assert ask(ALIASES) == [(MODEL, "champion", 2)]
    assert ("stagecoach.version", "3") in [row[2:] for row in ask(TAGS) if row[1] == 2]


def test_a_version_follows_its_run_when_that_is_recorded_anew(runs: Path, ask: Ask) -> None:
    (run,) = registered(runs)
    record(runs)
    store = Store(runs)
    before = store.find(run)
    assert before is not None
    store.delete(before)  # what a rebuild does on a server of others
    (runs / run / "mlflow.json").unlink()
    store.create(run, find(runs, run).config, writer.T0)
    tracking.replay(runs)
    ((source, mlflow_id),) = ask(
        "SELECT source, run_id FROM model_versions WHERE current_stage != 'Deleted_Internal'"
    )
    assert mlflow_id == store.find(run) != before
    assert str(mlflow_id) in str(source)
    assert ask(ALIASES) == [(MODEL, "champion", 2)]


def test_promoting_waits_until_the_recorder_has_moved_the_alias(
    runs: Path, ask: Ask, recorder_process: Callable[[], subprocess.Popen[bytes]]
) -> None:
    from trainer.process import identity
    from trainer.wake import state_folder

    process = recorder_process()
    identity(process.pid).write(state_folder(runs) / "recorder_process.json")
    run = writer.finished(runs)
    until(lambda: (run.path / "mlflow.json").exists(), "the recorder is at work")
    monkey = pytest.MonkeyPatch()
    monkey.setattr(catching_up, "PATIENCE_S", 60.0)
    by_hand.make(runs, run.id)
    assert tracking.catch_up(runs, book.size(runs))
    monkey.undo()
    assert ask(ALIASES) == [(MODEL, "champion", 1)]
