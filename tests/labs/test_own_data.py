"""Labs over data that a learner brought: they finish, say what they cannot do, and stay exact."""

import io
from pathlib import Path
from typing import Any

import pytest

from tests.labs.conftest import RunLab, tiny
from tests.owndata import sheets
from trainer import registry as models
from trainer.datasets import Dials
from trainer.owndata import columns, making, reading
from trainer.owndata.roles import Roles
from trainer.run import Run
from trainer.run_config import RunStatus
from trainer.serve.reading import Reading

SMALL = {"epochs": 8, "width": 16, "batch_size": 16, "tickets": 100, "learning_rate": 0.01}
TEXT = Roles(label="cause", text="note", group="site", time="opened")
TABLE = Roles(label="cause", columns=("load", "vendor"), group="site")
PLAIN = Roles(label="cause", columns=("load", "vendor"))


def bring(runs: Path, content: bytes, roles: Roles, learner: str = "local") -> str:
    sheet = reading.read(io.BytesIO(content))
    source = making.Source(learner=learner, file="mine.csv")
    return making.make(runs, sheet, columns.guess(sheet), roles, source).name


def figures(run: Run) -> dict[str, Any]:
    return {name: run.metric(name) for name in run.metrics}


@pytest.fixture
def text(lab_runs: Path) -> str:
    lab_runs.mkdir(exist_ok=True)
    return bring(lab_runs, sheets.text(), TEXT)


@pytest.fixture
def table(lab_runs: Path) -> str:
    lab_runs.mkdir(exist_ok=True)
    return bring(lab_runs, sheets.table(), TABLE)


def test_four_brakes_learns_from_texts_without_a_ceiling(run_lab: RunLab, text: str) -> None:
    run = run_lab("four_brakes", SMALL, data=f"{text}.device")
    assert run.status is RunStatus.FINISHED, run.error
    assert run.metrics["test/accuracy"] > 0.8
    assert run.surprise is None
    samples = run.record.samples
    assert samples["data"] == text
    assert samples["ceiling"] == []
    assert set(samples["own"]["lacks"]) == {"ceiling", "cut_hedges", "dials"}
    assert "augmentation" in run.plan["arms"]
    assert "cut_hedges" not in run.plan["arms"]
    kept = run.artifact("config")
    assert (kept["data"], kept["split"], kept["origin"]) == (text, "device", "own")
    said = run.artifact("answer")
    assert said["truth"] in sheets.CUES


def test_four_brakes_learns_from_columns_and_leaves_out_what_needs_words(
    run_lab: RunLab, table: str
) -> None:
    run = run_lab("four_brakes", SMALL, data=f"{table}.device")
    assert run.status is RunStatus.FINISHED, run.error
    assert run.metrics["test/accuracy"] > 0.6
    assert "augmentation" not in run.plan["arms"]
    lacks = run.record.samples["own"]["lacks"]
    assert set(lacks) == {"ceiling", "cut_hedges", "dials", "augmentation", "month"}
    assert all(sentence.endswith(".") for sentence in lacks.values())


def test_a_second_run_is_equal_to_the_last_bit(run_lab: RunLab, table: str) -> None:
    one, two = (run_lab("four_brakes", SMALL, data=f"{table}.row") for _ in range(2))
    assert figures(one) == figures(two)
    stopped = run_lab("four_brakes", SMALL, data=f"{table}.row", stop_at=40)
    assert figures(run_lab("four_brakes", again=stopped)) == figures(one)


def test_the_split_trap_compares_splits_by_row_and_by_group(run_lab: RunLab, text: str) -> None:
    settings = SMALL | {"tickets": 1000, "by_month": True}
    run = run_lab("split_trap", settings, data=text)
    assert run.status is RunStatus.FINISHED, run.error
    assert list(run.plan["arms"]) == ["row", "device", "month"]
    assert run.record.samples["scores"]["columns"][1] == "unseen groups"
    assert len(run.record.samples["fingerprint"]["devices"]) == 30
    assert run.finding is not None
    assert "Split by group" in run.finding.text


def test_without_groups_and_time_the_split_trap_splits_by_row_and_says_so(
    run_lab: RunLab, lab_runs: Path
) -> None:
    data = bring(lab_runs, sheets.table(), PLAIN)
    run = run_lab("split_trap", SMALL | {"tickets": 1000}, data=f"{data}.device")
    assert run.status is RunStatus.FINISHED, run.error
    assert list(run.plan["arms"]) == ["row"]
    assert {"device", "month"} <= set(run.record.samples["own"]["lacks"])
    assert run.finding is not None
    assert "rows put aside" in run.finding.text


def test_of_many_rows_the_split_trap_draws_as_many_as_were_asked_for(
    run_lab: RunLab, lab_runs: Path
) -> None:
    data = bring(lab_runs, sheets.table(rows=1500), TABLE)
    one, two = (
        run_lab("split_trap", SMALL | {"tickets": 1000, "epochs": 1}, data=data, seed=seed)
        for seed in (1, 1)
    )
    assert one.plan["steps"] < 2 * 1000 / SMALL["batch_size"]
    assert figures(one) == figures(two)


@pytest.mark.parametrize("lab", ["follow_one_multiply", "same_maths", "xid_night_shift"])
def test_the_model_travels_on_with_its_rows(run_lab: RunLab, table: str, lab: str) -> None:
    parent = run_lab("four_brakes", SMALL, data=f"{table}.row")
    run = run_lab(lab, tiny(lab, batch_size=12), parent=parent.id)
    assert run.status is RunStatus.FINISHED, run.error
    assert run.record.samples["data"] == table


def test_a_version_answers_rows_as_the_model_did(run_lab: RunLab, lab_runs: Path) -> None:
    for content, roles in ((sheets.table(), TABLE), (sheets.text(), TEXT)):
        data = bring(lab_runs, content, roles)
        run = run_lab("four_brakes", SMALL, data=f"{data}.row")
        version = models.promote(lab_runs, run.id)
        card = version.card
        assert card["data"]["origin"] == "own"
        reading_ = Reading.of(run.artifact("config"))
        row = reading_.columns([card["ticket"]["text"]])
        assert row.shape == (1, run.artifact("config")["sizes"][0])
        assert row.any()
        with pytest.raises(ValueError, match="give the text only"):
            reading_.columns(["load=1"], [["LOS"]])
    with pytest.raises(ValueError, match="no column 'speed'"):
        Reading.of(_columns_config(run_lab, lab_runs)).columns(["speed=3"])


def _columns_config(run_lab: RunLab, lab_runs: Path) -> dict[str, Any]:
    data = bring(lab_runs, sheets.table(), TABLE)
    found: dict[str, Any] = run_lab("four_brakes", SMALL, data=f"{data}.row").artifact("config")
    return found


def test_another_learners_data_is_refused(run_lab: RunLab, lab_runs: Path) -> None:
    data = bring(lab_runs, sheets.table(), TABLE, learner="ada")
    run = run_lab("four_brakes", SMALL, data=data)
    assert (run.status, run.reason) == (RunStatus.FAILED, "bad input")
    assert "another learner" in str(run.error)
    assert Dials().digest() != data
