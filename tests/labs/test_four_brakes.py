"""What the four brakes say of themselves: the turn, the rises, the kept model and its answer."""

import json

import pytest
import torch
from safetensors.torch import load

from labs import four_brakes
from tests.labs.conftest import RunLab
from trainer.datasets import Dials, prepare
from trainer.datasets import load as load_desk
from trainer.evaluation import score
from trainer.models import TicketClassifier
from trainer.run import Run
from trainer.run_config import RunStatus
from trainer.travelling import Sets

SMALL = {"epochs": 6, "width": 32, "learning_rate": 0.003}


@pytest.fixture
def run(run_lab: RunLab) -> Run:
    return run_lab("four_brakes", SMALL)


def test_the_finding_is_the_epoch_of_the_lowest_validation_loss(run: Run) -> None:
    losses = [value for _, value in run.metric("val/loss")]
    assert len(losses) == SMALL["epochs"]
    assert run.finding is not None
    assert run.finding.name == "turn_epoch"
    assert run.finding.value == losses.index(min(losses)) + 1


def test_each_rise_is_that_of_three_seeds(run: Run) -> None:
    for bar in run.record.samples["brakes"]["bars"]:
        rises = []
        for seed in ("", "_2", "_3"):
            name = f"{bar['name']}{seed}"
            prefix = "" if name == "none" else f"{name}."
            losses = [value for _, value in run.metric(f"{prefix}val/loss")]
            rises.append(losses[-1] - min(losses))
        assert bar["low"] == pytest.approx(min(rises))
        assert bar["high"] == pytest.approx(max(rises))
        assert bar["value"] == pytest.approx(sum(rises) / 3)


def test_the_best_brakes_are_those_whose_bands_overlap_the_lowest(run: Run) -> None:
    bands = {bar["name"]: bar for bar in run.record.samples["brakes"]["bars"]}
    four = [bands[name] for name in four_brakes.BRAKES[:4]]
    lowest = min(four, key=lambda bar: bar["value"])
    tied = {b["name"] for b in four if b["low"] <= lowest["high"] and lowest["low"] <= b["high"]}
    assert set(run.record.samples["best_brake"]) == tied
    assert run.finding is not None
    assert ("a tie" in run.finding.text) == (len(tied) > 1)


def test_the_kept_model_can_be_put_together_again_and_earns_the_same_test_accuracy(
    run: Run,
) -> None:
    kept = json.loads((run.path / "artifacts" / "config.json").read_text())
    weights = load((run.path / "artifacts" / "model.safetensors").read_bytes())
    desk = load_desk(prepare(run.path.parent, Dials()))
    assert desk.folder.name == kept["data"]
    sets = Sets.of(desk, 200, run.config.seed, torch.device("cpu"))
    assert list(sets.vocabulary.words) == kept["vocabulary"]
    sizes = (sets.train[0].shape[1], kept["width"], kept["width"], len(kept["causes"]))
    model = TicketClassifier(sizes=sizes, num_words=len(kept["vocabulary"]))
    model.load_state_dict(weights)
    assert score(model, *sets.test).accuracy == pytest.approx(run.metrics["test/accuracy"])


def test_the_answer_is_a_test_ticket_that_training_turned_from_wrong_to_right(run: Run) -> None:
    answer = run.artifact("answer")
    assert answer["before"]["cause"] != answer["truth"] == answer["after"]["cause"]
    assert 0 < answer["before"]["p"] < 1
    desk = load_desk(prepare(run.path.parent, Dials()))
    [row] = [i for i, t in enumerate(desk.tickets) if t["ticket_id"] == answer["ticket_id"]]
    assert desk.texts[row] == answer["text"]
    sets = Sets.of(desk, 200, run.config.seed, torch.device("cpu"))
    assert row in sets.test_rows


def test_early_stopping_ends_its_arm_after_its_patience(run_lab: RunLab) -> None:
    run = run_lab("four_brakes", SMALL | {"epochs": 30, "early_stopping": 1})
    losses = [value for _, value in run.metric("early_stopping.val/loss")]
    assert len(losses) == losses.index(min(losses)) + 2 < 30


def test_without_a_brake_there_is_nothing_to_compare(run_lab: RunLab) -> None:
    off = dict.fromkeys(four_brakes.BRAKES, 0) | {"cut_hedges": False}
    run = run_lab("four_brakes", SMALL | off)
    assert run.status is RunStatus.FINISHED, run.error
    assert [bar["name"] for bar in run.record.samples["brakes"]["bars"]] == ["none"]
    assert run.record.samples["best_brake"] == []


def test_the_three_parts_share_no_device_and_cut_hedges_change_words_only(run: Run) -> None:
    desk = load_desk(prepare(run.path.parent, Dials()))
    sets = Sets.of(desk, 200, 1, torch.device("cpu"))
    again = Sets.of(desk, 200, 1, torch.device("cpu"))
    assert torch.equal(sets.train[0], again.train[0])
    assert len(sets.train[0]) == 200
    alarms = sets.train[0].shape[1] - len(sets.vocabulary)
    assert torch.equal(sets.cut[:, :alarms], sets.train[0][:, :alarms])
    removed = (sets.train[0] > sets.cut).sum(dim=1)
    assert 20 < (removed > 0).sum() < 180
    assert "unrelated" in sets.vocabulary.words
