"""A lab on a CUDA GPU learns what it learns on the CPU, and gives the memory back."""

import gc

import pytest
import torch

from labs import registry
from tests.labs.conftest import RunLab, tiny
from trainer.run_config import RunStatus

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here"),
]
# A lab that forks works on the CPU; and where CUDA has started nothing may be forked.
LABS = [lab for lab in registry.ids() if not registry.find(lab).FORKS]


@pytest.mark.parametrize("lab", LABS)
def test_a_tiny_run_finishes_and_returns_its_memory(lab: str, run_lab: RunLab) -> None:
    torch.zeros(1, device="cuda")  # the context itself stays with the process
    before = torch.cuda.memory_allocated()
    run = run_lab(lab, tiny(lab), device="cuda")
    assert run.status is RunStatus.FINISHED, run.error
    gc.collect()
    assert torch.cuda.memory_allocated() <= before


@pytest.mark.parametrize("lab", LABS)
def test_the_first_losses_equal_those_of_the_cpu(lab: str, run_lab: RunLab) -> None:
    kinds = ("cpu", "cuda")
    longer = {"epochs": 20} if "epochs" in tiny(lab) else {}
    runs = [run_lab(lab, tiny(lab) | longer, stop_at=20, device=kind) for kind in kinds]
    names = [name for name in runs[0].metrics if name.endswith("train/loss")]
    assert names
    for name in names:
        there, here = runs[1].metric(name), runs[0].metric(name)
        assert len(here) == 20
        for (step, loss), (same_step, expected) in zip(there, here, strict=True):
            assert step == same_step
            assert loss == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("lab", LABS)
def test_the_gpu_preset_starts_with_at_least_two_million_parameters(
    lab: str, run_lab: RunLab
) -> None:
    settings = registry.find(lab).PRESETS["gpu"]
    run = run_lab(lab, settings, stop_at=3, device="cuda")
    assert run.status is RunStatus.KILLED, run.error
    [saved] = (run.path / "checkpoints").glob("*.safetensors")
    # Weights and the two moments of AdamW, four bytes each.
    assert saved.stat().st_size >= 2_000_000 * 3 * 4
