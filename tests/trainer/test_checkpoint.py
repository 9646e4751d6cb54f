"""Checkpoints come back as they were, fall back when damaged, and hold nothing that runs."""

from pathlib import Path

import pytest
import torch

from trainer import checkpoint
from trainer.errors import BadCheckpoint


def trained() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Linear(5, 3))
    model[1].weight = torch.nn.Parameter(model[0].weight.detach().t().contiguous())
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, fused=True)
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    return model, optimizer


def test_model_optimizer_and_random_states_come_back_bit_equal(tmp_path: Path) -> None:
    model, optimizer = trained()
    states = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    checkpoint.write(tmp_path, 7, states | {"random": checkpoint.random_state(), "seconds": 1.5})
    expected = torch.rand(4)
    step, back = checkpoint.newest(tmp_path) or (0, {})
    checkpoint.set_random_state(back["random"])
    assert (step, back["seconds"]) == (7, 1.5)
    assert torch.equal(torch.rand(4), expected)
    for name, tensor in model.state_dict().items():
        assert torch.equal(back["model"][name], tensor)
    fresh_model, fresh = trained()
    fresh.load_state_dict(back["optimizer"])
    assert str(fresh.state_dict()) == str(optimizer.state_dict())
    del fresh_model


def test_tied_weights_are_stored_once_and_views_of_one_buffer_may_be_saved(tmp_path: Path) -> None:
    buffer = torch.arange(8.0)
    tied = torch.ones(1_000)
    state = {"a": tied, "b": tied, "low": buffer[:4], "high": buffer[4:]}
    place = checkpoint.write(tmp_path, 1, state)
    assert place.with_suffix(".safetensors").stat().st_size < 2 * tied.nbytes
    _, back = checkpoint.read(place)
    assert torch.equal(back["b"], tied)
    assert back["high"].tolist() == [4, 5, 6, 7]


def test_two_are_kept_and_damage_falls_back_to_the_older(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        checkpoint.write(tmp_path, step, {"x": torch.tensor(float(step))})
    assert [path.stem for path in sorted(tmp_path.glob("*.json"))] == ["000000002", "000000003"]
    weights = tmp_path / "000000003.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(BadCheckpoint, match="does not hold what was written"):
        checkpoint.read(tmp_path / "000000003.json")
    found = checkpoint.newest(tmp_path)
    assert found is not None
    assert found[0] == 2
    (tmp_path / "000000002.json").write_text("[]")
    assert checkpoint.newest(tmp_path) is None
