"""`python -m labs record`: runs over several seeds become a band that the page can use."""

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from course.load import CONTENT
from course.recorded import FOLDER, parse, read
from labs import recording, registry
from tests.labs.conftest import RunLab, tiny
from trainer.dispatch import client
from trainer.errors import BadSetting, BadState
from trainer.run import Run
from trainer.run_config import RunConfig
from trainer.runs import create

ID = "follow_one_multiply"
KEPT = sorted(place.stem for place in (CONTENT / FOLDER).glob("*.json"))


@pytest.fixture
def submitted(run_lab: RunLab, lab_runs: Path, monkeypatch: pytest.MonkeyPatch) -> list[RunConfig]:
    """What was submitted; each is trained at once, and small."""
    seen: list[RunConfig] = []

    def submit(_runs: Path, config: RunConfig) -> Run:
        seen.append(config)
        return run_lab(config.lab, tiny(config.lab), seed=config.seed)

    monkeypatch.setenv("STAGECOACH_RUNS", str(lab_runs))
    monkeypatch.setattr(client, "submit", submit)
    return seen


def test_runs_of_several_seeds_become_a_band_with_all_that_it_holds_for(
    submitted: list[RunConfig], tmp_path: Path
) -> None:
    place = recording.record(ID, 3, root=tmp_path)
    assert place == tmp_path / "content" / FOLDER / f"{ID}.json"
    assert [config.seed for config in submitted] == [1, 2, 3]
    assert all(not config.settings and config.learner == "recording" for config in submitted)
    found = read(ID, tmp_path / "content")
    assert found is not None
    assert found.seeds == (1, 2, 3)
    assert found.settings["steps"] == 20
    assert found.device == "cpu"
    assert found.machine
    assert len(found.data) == 16
    assert set(found.lines) == {"train/loss", "val/loss", "val/accuracy"}
    assert found.lines["train/loss"].steps == tuple(range(1, 21))
    low, high = found.lines["train/loss"].low, found.lines["train/loss"].high
    assert all(a < b for a, b in zip(low, high, strict=True)), "seeds differ"


def test_arms_that_begin_elsewhere_are_laid_on_each_other_by_epochs() -> None:
    def run(start: int, length: int, values: list[float]) -> Any:
        plan = {"steps_per_epoch": 7, "arms": {"row": 0, "device": start}}
        points = [(start + length * (k + 1), value) for k, value in enumerate(values)]
        return SimpleNamespace(
            plan=plan | {"epoch_steps": {"device": length}}, metric=lambda _name: points
        )

    one, two = run(100, 10, [1.0, 2.0]), run(120, 12, [3.0, 4.0])
    aligned = [recording._aligned(each, "device.val/loss", one.plan) for each in (one, two)]
    assert aligned == [[(110, 1.0), (120, 2.0)], [(110, 3.0), (120, 4.0)]]


def test_a_lab_about_time_is_refused_after_one_run_and_the_command_says_why(
    submitted: list[RunConfig], tmp_path: Path
) -> None:
    with pytest.raises(BadSetting, match="are about time"):
        recording.record("all_reduce", 5, root=tmp_path)
    assert len(submitted) == 1
    assert not list(tmp_path.iterdir())


def test_a_run_that_does_not_finish_leaves_no_file(
    lab_runs: Path, run_lab: RunLab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def submit(_runs: Path, config: RunConfig) -> Run:
        return run_lab(ID, tiny(ID), seed=config.seed, stop_at=2)

    monkeypatch.setenv("STAGECOACH_RUNS", str(lab_runs))
    monkeypatch.setattr(client, "submit", submit)
    with pytest.raises(BadState, match="ended killed"):
        recording.record(ID, 2, root=tmp_path)
    assert not list(tmp_path.iterdir())


def test_giving_up_stops_the_runs_that_wait(
    lab_runs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lab_runs.mkdir(exist_ok=True)
    waiting = create(lab_runs, RunConfig(lab=ID))

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("STAGECOACH_RUNS", str(lab_runs))
    monkeypatch.setattr(client, "submit", lambda _runs, _config: waiting)
    monkeypatch.setattr(client, "ensure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recording.record(ID, 2, root=tmp_path)
    assert (waiting.path / "commands" / "stop").read_text() == "the recording was given up"


@pytest.mark.parametrize("lab", KEPT)
def test_what_is_kept_was_recorded_with_the_settings_that_are_usual_now(lab: str) -> None:
    found = parse((CONTENT / FOLDER / f"{lab}.json").read_text())
    module = registry.find(lab)
    usual = asdict(module.Config(**module.PRESETS[found.preset]))
    assert found.settings == usual, f"record it again: python -m labs record {lab}"
    assert len(found.seeds) == recording.MOST_SEEDS


@pytest.mark.slow
@pytest.mark.parametrize("lab", KEPT)
def test_a_run_with_a_recorded_seed_lies_in_its_band(lab: str, run_lab: RunLab) -> None:
    found = parse((CONTENT / FOLDER / f"{lab}.json").read_text())
    run = run_lab(lab, seed=found.seeds[0])
    for name, line in found.lines.items():
        values = dict(run.metric(name))
        bounds = zip(line.steps, line.low, line.high, strict=True)
        spread = max(line.high) - min(line.low)
        assert all(
            low - 0.02 * spread <= values[step] <= high + 0.02 * spread
            for step, low, high in bounds
        ), name
