"""Device facts give a reason in one line; CUDA is believed only when proved."""

from pathlib import Path

import pytest

from trainer import device


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        (
            {"build": None, "cuda": False},
            "Card is here, but this PyTorch build is for the CPU only.",
        ),
        (
            {"build": "13.0", "cuda": False},
            "driver 550, but this PyTorch build needs one for CUDA 13.0.",
        ),
        (
            {"build": "13.0", "cuda": True, "works": False},
            "architecture is not in this PyTorch build",
        ),
    ],
)
def test_a_gpu_that_cannot_be_used_is_explained(
    runs: Path, monkeypatch: pytest.MonkeyPatch, proof: dict[str, object], expected: str
) -> None:
    monkeypatch.setattr(device, "_gpus", lambda: (["Card"], "550"))
    monkeypatch.setattr(device, "_prove", lambda: proof)
    found = device.look(runs)
    assert found.kind == "cpu"
    assert expected in found.reason
    assert device.facts(runs) == found


def test_a_proved_gpu_is_taken(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = {"build": "13.0", "cuda": True, "works": True, "name": "Card", "capability": [9, 0]}
    monkeypatch.setattr(device, "_gpus", lambda: (["Card"], "580"))
    monkeypatch.setattr(device, "_prove", lambda: proof)
    found = device.look(runs)
    assert (found.kind, found.compute_capability, found.reason) == ("cuda", "9.0", "")


@pytest.mark.gpu
def test_this_machines_gpu_is_proved(runs: Path) -> None:
    found = device.look(runs)
    assert found.kind == "cuda", found.reason
