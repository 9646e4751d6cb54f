"""Labs that stand on each other: data set, split and kept model travel from run to run."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from labs import registry
from tests.labs.conftest import RunLab, tiny
from trainer import life
from trainer.datasets import Dials
from trainer.datasets import load as load_desk
from trainer.errors import BadSetting
from trainer.run import Run
from trainer.run_config import RunConfig, RunStatus
from trainer.runs import create
from trainer.travelling import Journey, travel
from trainer.worker import ActiveRun

SMALL = {"epochs": 2, "width": 8, "batch_size": 64, "tickets": 100}
USUAL = Dials().digest()


def figures(run: Run) -> dict[str, Any]:
    return {name: run.metric(name) for name in run.metrics}


def start(run: Run) -> Journey:
    """What the run would start from."""
    return travel(ActiveRun(run, torch.device("cpu")), tickets=100, width=8)


@pytest.fixture
def trained(run_lab: RunLab) -> Run:
    return run_lab("four_brakes", SMALL)


def follower(trained: Run, **more: Any) -> Run:
    config = RunConfig(lab="follow_one_multiply", seed=9, parent=trained.id, **more)
    return create(trained.path.parent, config)


def test_the_usual_tickets_by_device_give_the_same_run_as_none_named(
    run_lab: RunLab, trained: Run
) -> None:
    named = run_lab("four_brakes", SMALL, data=f"{USUAL}.device")
    assert figures(named) == figures(trained)
    assert named.artifact("config") == trained.artifact("config")


def test_another_split_learns_from_other_tickets_and_says_so(run_lab: RunLab, trained: Run) -> None:
    run = run_lab("four_brakes", SMALL, data=f"{USUAL}.row")
    assert run.artifact("config")["split"] == "row"
    assert run.artifact("config")["data"] == USUAL
    assert figures(run) != figures(trained)


def test_the_promise_holds_for_the_usual_tickets_by_device_alone() -> None:
    lab = registry.find("four_brakes")
    for data, holds in (
        (None, True),
        (USUAL, True),
        (f"{USUAL}.device", True),
        (f"{USUAL}.row", False),
        ("0123456789abcdef.device", False),
    ):
        assert life.is_default(lab, RunConfig(lab="four_brakes", data=data)) is holds


def test_a_child_has_the_weights_the_words_and_the_tickets_of_its_parent(trained: Run) -> None:
    journey, own = start(follower(trained)), trained.artifact("config")
    ours = travel(ActiveRun(trained, torch.device("cpu")), tickets=100, width=8)
    assert journey.parent == trained.id
    assert journey.config == {name: own[name] for name in journey.config} | {"parent": trained.id}
    for mine, theirs in (
        (journey.sets.train, ours.sets.train),
        (journey.sets.test, ours.sets.test),
    ):
        assert all(torch.equal(a, b) for a, b in zip(mine, theirs, strict=True))
    kept = journey.model().state_dict()
    fresh = ours.model().state_dict()
    assert {name: t.shape for name, t in kept.items()} == {n: t.shape for n, t in fresh.items()}
    assert not torch.equal(kept["net.0.weight"], fresh["net.0.weight"])
    assert all(torch.equal(t, journey.model(seed=2).state_dict()[n]) for n, t in kept.items())


def test_a_run_on_a_kept_model_begins_where_that_one_stood(run_lab: RunLab, trained: Run) -> None:
    on = tiny("follow_one_multiply", begin="trained")
    run = run_lab("follow_one_multiply", on, parent=trained.id)
    assert run.status is RunStatus.FINISHED, run.error
    fresh = run_lab("follow_one_multiply", tiny("follow_one_multiply"))
    assert run.metric("val/loss")[0][1] < fresh.metric("val/loss")[0][1]


def test_the_training_of_a_kept_model_is_done_once_more_from_fresh_weights(
    run_lab: RunLab, trained: Run
) -> None:
    again = run_lab("follow_one_multiply", tiny("follow_one_multiply"), parent=trained.id)
    on = run_lab(
        "follow_one_multiply", tiny("follow_one_multiply", begin="trained"), parent=trained.id
    )
    assert again.metric("val/loss")[0][1] > on.metric("val/loss")[0][1]
    journey = travel(
        ActiveRun(follower(trained), torch.device("cpu")), tickets=9, width=9, begin="afresh"
    )
    assert journey.parent == trained.id
    assert list(journey.sizes) == trained.artifact("config")["sizes"]
    assert journey.weights is None


def test_a_stopped_child_goes_on_with_its_parents_model_bit_for_bit(
    run_lab: RunLab, trained: Run
) -> None:
    stands_on = {"parent": trained.id, "data": f"{USUAL}.device"}
    whole = run_lab("four_brakes", SMALL, **stands_on)
    stopped = run_lab("four_brakes", SMALL, stop_at=5, **stands_on)
    assert stopped.status is RunStatus.KILLED
    resumed = run_lab("four_brakes", again=stopped)
    assert resumed.status is RunStatus.FINISHED, resumed.error
    assert figures(resumed) == figures(whole) != figures(trained)
    assert resumed.artifact("config")["parent"] == trained.id


def test_a_cleared_data_set_is_made_again_from_the_kept_dials(run_lab: RunLab) -> None:
    noisy = run_lab("four_brakes", SMALL | {"label_noise": 0.21})
    digest = noisy.artifact("config")["data"]
    folder = noisy.path.parent / "data" / digest
    content = load_desk(folder).card["content"]
    shutil.rmtree(folder)
    assert start(follower(noisy)).sets.desk.card["content"] == content
    shutil.rmtree(folder)
    named = RunConfig(lab="four_brakes", data=f"{digest}.month")
    assert start(create(noisy.path.parent, named)).sets.by == "month"


def test_tickets_that_nobody_knows_are_refused_in_a_sentence(lab_runs: Path) -> None:
    run = create(lab_runs, RunConfig(lab="four_brakes", data="0123456789abcdef"))
    with pytest.raises(BadSetting, match="cannot be made again"):
        start(run)


def test_data_that_the_parent_did_not_learn_from_is_refused(trained: Run) -> None:
    assert start(follower(trained, data=f"{USUAL}.device")).sets.by == "device"
    with pytest.raises(BadSetting, match="split by device"):
        start(follower(trained, data=f"{USUAL}.row"))


def test_a_parent_that_is_gone_ends_the_run_as_bad_input(run_lab: RunLab) -> None:
    run = run_lab("follow_one_multiply", parent="20261130-101512-four_brakes-3f2a")
    assert (run.status, run.reason) == (RunStatus.FAILED, "bad input")
    assert run.error is not None
    assert "is gone" in run.error


def test_a_parent_without_a_model_or_without_an_end_is_refused(run_lab: RunLab) -> None:
    split = run_lab("split_trap", tiny("split_trap"))
    with pytest.raises(BadSetting, match="kept no model"):
        start(follower(split))
    halted = run_lab("four_brakes", SMALL, stop_at=2)
    with pytest.raises(BadSetting, match="has not finished"):
        start(follower(halted))


@pytest.mark.parametrize("fault", ["name", "shape", "value", "bytes", "sizes", "words", "older"])
def test_what_does_not_fit_is_refused_in_a_sentence(trained: Run, fault: str) -> None:
    from safetensors.torch import load, save

    place = trained.path / "artifacts"
    config = json.loads((place / "config.json").read_bytes())
    tensors = load((place / "model.safetensors").read_bytes())
    if fault == "name":
        tensors["other"] = tensors.pop("net.0.bias")
    elif fault == "shape":
        tensors["net.0.bias"] = tensors["net.0.bias"][:-1]
    elif fault == "value":
        tensors["net.0.bias"] += 1
    elif fault == "sizes":
        config["sizes"][1] = 9
    elif fault == "words":
        config["vocabulary"].pop()
    elif fault == "older":
        del config["sizes"]
    content = b"no tensors" if fault == "bytes" else save(tensors)
    (place / "model.safetensors").write_bytes(content)
    (place / "config.json").write_text(json.dumps(config))
    with pytest.raises(BadSetting, match=trained.id):
        start(follower(trained))
