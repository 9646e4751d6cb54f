"""What the serving lab says of itself: nobody lost, the champion untouched, no process left."""

import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from labs import latency_or_throughput as lab
from tests.labs import apart
from tests.labs.conftest import RunLab, tiny
from trainer import registry
from trainer.run import Run
from trainer.run_config import RunConfig, RunStatus
from trainer.runs import create
from trainer.serve import loads
from trainer.serve.trial import Trial

ID = "latency_or_throughput"
DEADLINE_S = 200.0
_WHOLE: list[Run] = []


@pytest.fixture
def run(run_lab: RunLab) -> Run:
    """One tiny run that all tests read."""
    if not _WHOLE:
        _WHOLE.append(run_lab(ID, tiny(ID)))
    return _WHOLE[0]


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def test_every_request_is_accounted_for_and_batches_add_up_to_rows(run: Run) -> None:
    assert run.status is RunStatus.FINISHED, run.error
    lab.expect(run)
    assert len(run.artifact("loads")["loads"]) == loads.COUNT


def test_the_first_version_answers_until_the_next_takes_over(run: Run) -> None:
    tally = run.artifact("loads")["tally"]
    assert tally["version 1"] > 0
    assert tally["version 2"] > 0
    assert tally["version 1"] + tally["version 2"] == tally["sent"]
    [[at, words]] = run.record.samples["marks"]
    assert words == "version 2 answers"
    assert run.plan["steps"] - 16 < at <= run.plan["steps"]


def test_what_a_picture_needs_is_there(run: Run) -> None:
    samples = run.record.samples
    assert {place["per_s"] > 0 for place in samples["trade"]["computed"]} == {True}
    assert len(samples["trade"]["points"]) == len(loads.SHARES)
    assert [group["name"] for group in samples["sizes"]["groups"]] == [
        "15% of capacity",
        "100% of capacity",
    ]
    drawn = [group["shares"] for group in samples["sizes"]["groups"]]
    for shares in (*drawn, samples["sizes"]["expected"]):
        assert sum(shares.values()) == pytest.approx(1.0)
    assert samples["bare"]["rows"][0][0] == 1
    assert "max_queue_delay_microseconds: 0" in samples["triton"]["text"]


def test_without_a_champion_it_says_so_and_makes_none(run: Run, lab_runs: Path) -> None:
    assert run.finding is not None
    assert "trained and served a first version of its own" in run.finding.text
    assert registry.champion(lab_runs, "local") is None
    assert run.artifact("config")["parent"] is None, "what it kept can be registered"


def test_a_champion_is_served_and_left_as_it_was(run: Run, run_lab: RunLab, lab_runs: Path) -> None:
    model = lab_runs / "models" / "alarm-desk.local"
    shutil.copytree(run.path / "private" / "models" / "alarm-desk.local" / "1", model / "7")
    card = dict.fromkeys(("lab", "learner", "parent", "data", "ticket", "export", "date"), "")
    card |= json.loads((model / "7" / "card.json").read_bytes()) | {"run": run.id, "metrics": {}}
    (model / "7" / "card.json").write_text(json.dumps(card))
    (model / "champion").write_text("7\n")
    try:
        served = run_lab(ID, tiny(ID, model="wide", loop="closed", rows=4, max_batch=8, delay_ms=2))
    finally:
        there = sorted(path.name for path in model.iterdir())
        crowned = (model / "champion").read_text()
        shutil.rmtree(lab_runs / "models")
    assert (there, crowned) == (["7", "champion"], "7\n")
    assert served.status is RunStatus.FINISHED, served.error
    assert list(served.plan["arms"]) == ["next"]
    tally = served.artifact("loads")["tally"]
    assert tally["version 7"] + tally["version 8"] == tally["sent"] == tally["answered"]
    for load in served.artifact("loads")["loads"]:
        assert sum(int(n) * count for n, count in load["batches"].items()) == 4 * load["answered"]
        assert max(map(int, load["batches"])) <= 8


def test_a_parents_model_is_served_where_there_is_no_champion(run: Run, run_lab: RunLab) -> None:
    served = run_lab(ID, tiny(ID), stop_at=3, parent=run.id)
    assert served.status is RunStatus.KILLED, served.error
    assert list(served.plan["arms"]) == ["next"]
    assert (served.path / "private" / "models" / "alarm-desk.local" / "champion").exists()


@pytest.mark.parametrize(
    ("hurt", "words"),
    [
        ("_private", "EndpointLost: The endpoint was killed by signal 9."),
        ("_generator", "LoadLost: The load generator was killed by signal 9."),
    ],
    ids=["endpoint", "generator"],
)
def test_a_killed_helper_fails_the_run_with_a_sentence_and_leaves_nothing(
    hurt: str, words: str, run_lab: RunLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, begin, begun = children(), Trial.begin, []

    def dying(trial: Trial, **asked: Any) -> None:
        begin(trial, **asked)
        begun.append(asked)
        if len(begun) == 3:
            os.kill(getattr(trial, hurt).pid, signal.SIGKILL)

    monkeypatch.setattr(Trial, "begin", dying)
    hurt_run = run_lab(ID, tiny(ID))
    assert hurt_run.status is RunStatus.FAILED
    assert hurt_run.error == f"{words} Resume starts another one."
    assert children() <= before
    assert hurt_run.has_checkpoint


def test_nothing_outlives_a_worker_that_is_killed(lab_runs: Path) -> None:
    asked = tiny(ID, seconds=4)
    run = create(lab_runs, RunConfig(lab=ID, settings=asked, seed=1, device="cpu"))
    worker = psutil.Process(apart.start(run, None, "cpu", waits=False))
    due = time.monotonic() + DEADLINE_S
    while not run.metric("p50/answer_ms"):
        assert time.monotonic() < due
        assert not run.has_ended, run.error
        time.sleep(0.05)
    helpers = worker.children(recursive=True)
    assert len(helpers) >= 2
    worker.kill()
    gone, alive = psutil.wait_procs(helpers, timeout=DEADLINE_S)
    assert not alive
    assert len(gone) == len(helpers)
