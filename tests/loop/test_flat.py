"""One flat buffer changes the speed of AdamW and nothing else."""

import torch
import torch.nn.functional as F
from safetensors.torch import load, save
from torch import nn

from trainer.flat import FlatAdamW


def small() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Embedding(11, 3), nn.Flatten(), nn.Linear(6, 5), nn.Linear(5, 2))


def test_names_shapes_and_values_stay_the_models_own() -> None:
    before, model = small().state_dict(), small()
    FlatAdamW(model, lr=0.1)
    after = model.state_dict()
    assert list(after) == list(before)
    assert all(torch.equal(after[name], before[name]) for name in before)


def test_the_parameters_share_one_buffer_and_train_in_it() -> None:
    model = small()
    optimizer = FlatAdamW(model, lr=0.1)
    start = model.state_dict()["2.weight"].clone()
    F.cross_entropy(model(torch.tensor([[1, 2]])), torch.tensor([1])).backward()
    optimizer.step()
    assert not torch.equal(model.state_dict()["2.weight"], start)
    assert len({p.untyped_storage().data_ptr() for p in model.parameters()}) == 1


def test_cleared_gradients_are_zero_and_still_views() -> None:
    model = small()
    optimizer = FlatAdamW(model, lr=0.1)
    places = [p.grad.data_ptr() for p in model.parameters() if p.grad is not None]
    F.cross_entropy(model(torch.tensor([[1, 2]])), torch.tensor([1])).backward()
    optimizer.zero_grad()
    kept = [p.grad for p in model.parameters() if p.grad is not None]
    assert [gradient.data_ptr() for gradient in kept] == places
    assert all(gradient.abs().sum() == 0 for gradient in kept)


def test_safetensors_saves_and_loads_the_views() -> None:
    model = small()
    FlatAdamW(model, lr=0.1)
    loaded = load(save(model.state_dict()))
    assert all(torch.equal(loaded[name], value) for name, value in model.state_dict().items())


def test_it_computes_what_torchs_own_computes_and_its_state_can_be_restored() -> None:
    ours, usual = small(), small()
    flat = FlatAdamW(ours, lr=0.1, weight_decay=0.2, betas=(0.8, 0.9), eps=1e-6)
    plain = torch.optim.AdamW(
        usual.parameters(), lr=0.1, weight_decay=0.2, betas=(0.8, 0.9), eps=1e-6, fused=True
    )
    for _ in range(5):
        for model, optimizer in ((ours, flat), (usual, plain)):
            optimizer.zero_grad()
            F.cross_entropy(model(torch.tensor([[1, 2]])), torch.tensor([1])).backward()
            optimizer.step()
    for name, value in usual.state_dict().items():
        assert torch.allclose(ours.state_dict()[name], value, rtol=1e-6, atol=1e-7)
    other = FlatAdamW(small(), lr=1.0)
    other.load_state_dict(flat.state_dict())
    state = other.state_dict()["state"][0]
    assert state["step"] == 5
    assert torch.equal(state["exp_avg"], flat.state_dict()["state"][0]["exp_avg"])
    assert other.param_groups[0]["lr"] == 0.1
