"""A finished run becomes a version; whatever speaks against it is one sentence and no version."""

import hashlib
import json
import re
import shutil
import stat
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.registry import kept_runs
from tests.registry.conftest import Shop
from trainer import registry, tracking
from trainer.errors import BadSetting, BadState, StagecoachError, UnknownRun
from trainer.models import TicketClassifier
from trainer.registry import book, export, version
from trainer.run import Run

MODEL = "alarm-desk.local"


def model_of(made: registry.Version) -> TicketClassifier:
    """The network put together from a version's files alone."""
    config = json.loads((made.path / "config.json").read_bytes())
    model = TicketClassifier(sizes=config["sizes"], num_words=config["num_words"])
    model.load_state_dict(load_file(made.path / "model.safetensors"))
    return model.eval()


def left_over(runs: Path) -> list[str]:
    return [path.name for path in runs.glob("models/*/.*")]


def test_a_run_becomes_version_1_and_champion_with_all_that_belongs_to_it(shop: Shop) -> None:
    run = shop.finished(parent=None)
    made = registry.promote(shop.runs, run.id)
    assert (made.model, made.number, made.is_champion, made.run) == (MODEL, 1, True, run.id)
    assert made.accuracy == kept_runs.ACCURACY
    assert sorted(path.name for path in made.path.iterdir()) == sorted(version.FILES)
    assert (shop.runs / "models" / MODEL / "champion").read_text() == "1\n"
    assert left_over(shop.runs) == []
    for name in ("model.safetensors", "config.json"):
        assert (made.path / name).read_bytes() == (run.path / "artifacts" / name).read_bytes()
    assert not any((made.path / name).stat().st_mode & stat.S_IWUSR for name in version.FILES)


def test_the_card_tells_data_measures_origin_hashes_and_the_gate(shop: Shop) -> None:
    run = shop.finished()
    card = registry.promote(shop.runs, run.id).card
    folder = shop.runs / "models" / MODEL / "1"
    assert card["files"] == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("model.safetensors", "config.json", "model.onnx")
    }
    assert card["metrics"] == {"test/accuracy": {"value": kept_runs.ACCURACY, "origin": "M"}}
    assert card["data"]["id"] == kept_runs.DIALS.digest()
    assert (card["data"]["split"], card["data"]["origin"]) == ("device", "synthetic")
    assert card["data"]["counts"]["tickets"] == kept_runs.DIALS.tickets
    assert (card["parent"], card["lab"], card["learner"]) == (None, "four_brakes", "local")
    gate = card["export"]
    assert gate["batches"] == [1, 3, 128]
    assert 0 <= gate["largest_difference"] < 1e-4
    assert gate["other_answers"] == 0
    assert gate["rows"] == len(export.examples(shop.data.desk, kept(run)))


def kept(run: Run) -> export.Kept:
    return export.Kept.of(run.artifact("config"))


@pytest.mark.parametrize("rows", [1, 2, 7, 200])
def test_the_onnx_file_answers_any_number_of_tickets_as_the_model_does(
    shop: Shop, rows: int
) -> None:
    made = registry.promote(shop.runs, shop.finished().id)
    session = onnxruntime.InferenceSession(made.path / "model.onnx")
    (given,), (got,) = session.get_inputs(), session.get_outputs()
    assert (given.name, given.type, got.name) == ("tickets", "tensor(float)", "scores")
    table = np.random.default_rng(rows).random((rows, given.shape[1]), dtype=np.float32)
    with torch.no_grad():
        wanted = model_of(made)(torch.from_numpy(table)).numpy()
    np.testing.assert_allclose(session.run(None, {"tickets": table})[0], wanted, atol=1e-5)


def test_the_onnx_file_holds_all_its_weights_itself(shop: Shop) -> None:
    made = registry.promote(shop.runs, shop.finished().id)
    graph = onnx.load(made.path / "model.onnx", load_external_data=False).graph
    assert graph.initializer
    assert not any(each.external_data for each in graph.initializer)


def test_the_same_run_twice_stays_one_version_and_takes_the_alias_back(shop: Shop) -> None:
    first, second = shop.finished(1), shop.finished(2)
    assert registry.promote(shop.runs, first.id).number == 1
    assert registry.promote(shop.runs, second.id).number == 2
    again = registry.promote(shop.runs, first.id)
    assert (again.number, again.is_champion) == (1, True)
    assert [each.number for each in registry.versions(shop.runs, "local")] == [2, 1]
    told = [(entry.kind, entry.version) for entry in book.read(shop.runs)[0]]
    made = [("version", 1), ("champion", 1), ("version", 2), ("champion", 2)]
    assert told == [*made, ("champion", 1)]


def test_a_graph_that_answers_otherwise_is_refused_with_the_figures(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = export.write

    def spoilt(model: TicketClassifier, place: Path) -> None:
        with torch.no_grad():
            model.net[0].bias.add_(0.01)  # type: ignore[union-attr,operator]
        honest(model, place)
        with torch.no_grad():
            model.net[0].bias.sub_(0.01)  # type: ignore[union-attr,operator]

    monkeypatch.setattr(export, "write", spoilt)
    with pytest.raises(BadState) as refused:
        registry.promote(shop.runs, shop.finished(3).id)
    assert re.search(
        r"largest difference \d\.\de-0\d \(limit 1e-04\), \d+ other", str(refused.value)
    )
    assert registry.versions(shop.runs, "local") == []
    assert book.read(shop.runs)[0] == []
    assert left_over(shop.runs) == []


def test_learners_have_models_of_their_own(shop: Shop) -> None:
    registry.promote(shop.runs, shop.finished(1).id)
    run = shop.finished(2, learner="ada")
    made = registry.promote(shop.runs, run.id)
    assert (made.model, made.number) == ("alarm-desk.ada", 1)
    assert [each.run for each in registry.versions(shop.runs, "ada")] == [run.id]
    with pytest.raises(BadSetting, match="belongs to the learner ada"):
        registry.promote(shop.runs, run.id, "local")


def test_a_version_outlives_its_run(shop: Shop) -> None:
    run = shop.finished()
    registry.promote(shop.runs, run.id)
    tracking.delete(shop.runs, run.id)
    shutil.rmtree(shop.runs / "trash")
    found = registry.champion(shop.runs, "local")
    assert found is not None
    assert found.run == run.id
    assert model_of(found)


def test_what_speaks_against_a_run_is_said_and_leaves_nothing(shop: Shop) -> None:
    unfinished, empty, hurt, foreign = (shop.finished(seed) for seed in (1, 2, 3, 4))
    kept_runs.say(unfinished, "ended", {"status": "KILLED", "reason": "stopped"})
    (empty.path / "artifacts" / "model.safetensors").unlink()
    weights = hurt.path / "artifacts" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\0")
    place = foreign.path / "artifacts" / "model.safetensors"
    save_file({"other": torch.zeros(2)}, place)
    refusals: dict[str, tuple[type[StagecoachError], str]] = {
        unfinished.id: (BadSetting, "has not finished"),
        empty.id: (BadSetting, "kept no model"),
        hurt.id: (BadSetting, "do not fit"),
        foreign.id: (BadSetting, "do not fit"),
        "../../etc": (UnknownRun, "There is no run"),
    }
    for run_id, (kind, words) in refusals.items():
        with pytest.raises(kind, match=words):
            registry.promote(shop.runs, run_id)
    assert registry.versions(shop.runs, "local") == []
    assert left_over(shop.runs) == []


def test_the_words_of_what_is_done_come_in_order(shop: Shop) -> None:
    from trainer.registry.promotion import promote

    told: list[str] = []
    promote(shop.runs, shop.finished().id, tell=told.append)
    assert [words.split()[0] for words in told] == [
        "reading", "writing", "comparing", "putting", "moving",
    ]  # fmt: skip
