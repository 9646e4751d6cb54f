"""The expected band stands behind the curve of runs that are set as the recorded ones, only."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from course import recorded
from course.recorded import Recorded, parse
from tests.course.test_recorded import one
from tests.pages import folders
from tests.pages.test_pages import draw
from trainer import events
from trainer.events import Event

USUAL = {"rows": 200, "epochs": 40, "brake": "none", "learning_rate": 0.01}
BAND = {"steps": [4, 160], "low": [1.0, 0.5], "mid": [1.1, 0.6], "high": [1.2, 0.7]}


@pytest.fixture(autouse=True)
def kept(runs: Path, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """A recording of one lab with its usual settings."""
    folders.write_catalogue(runs)
    lines = {"val/loss": BAND, "val/accuracy": BAND}
    found = parse(json.dumps(one(settings=USUAL, torch="2.0.0", lines=lines)))
    monkeypatch.setattr(recorded, "read", {"four_brakes": found}.get)
    return found


def band(app: AppTest) -> Any:
    told = [each.proto.json for each in app.get("bidi_component") if '"band"' in each.proto.json]
    return json.loads(told[0])["band"]


def test_machine_and_date_stand_in_words_beside_it(runs: Path) -> None:
    run = folders.write_run(runs, "running", seed=7)
    found = band(draw("training", lab="four_brakes", run=run.id))
    assert found["lines"] == {"val/loss": BAND}, "of this chart alone"
    assert found["plan"] == {"steps": 2}
    assert "3 runs with these settings, seeds 1 to 3" in found["words"]
    assert "Recorded on A processor, 30 November 2026, PyTorch 2.0.0." in found["words"]


def test_it_is_not_shown_before_the_question_is_answered() -> None:
    assert band(draw("training", lab="four_brakes")) is None


@pytest.mark.parametrize("state", ["running", "finished"])
def test_it_stays_behind_the_run(runs: Path, state: str) -> None:
    run = folders.write_run(runs, state)
    assert band(draw("training", lab="four_brakes", run=run.id)) is not None


def test_a_run_that_turns_out_to_use_other_tickets_loses_it(runs: Path) -> None:
    run = folders.write_run(runs, "running")
    data = {"name": "data", "value": "ffffffffffffffff"}
    event = Event(kind="sample", t=1.0, step=80, seconds=1.0, values=data)
    events.append(run.path / events.FILE, event.line())
    assert band(draw("training", lab="four_brakes", run=run.id)) is None


@pytest.mark.parametrize(
    "other",
    [
        {"data": "ffffffffffffffff"},
        {"parent": "20261130-101512-four_brakes-3f2a"},
        {"preset": "gpu"},
    ],
)
def test_a_run_on_other_tickets_another_model_or_preset_has_none(
    runs: Path, other: dict[str, str]
) -> None:
    run = folders.write_run(runs, "finished", **other)
    assert band(draw("training", lab="four_brakes", run=run.id)) is None


def test_other_settings_or_another_pytorch_have_none(
    runs: Path, kept: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = folders.write_run(runs, "finished")
    for other in ({"torch": "1.13.0"}, {"settings": USUAL | {"rows": 400}}, {"device": "cuda"}):
        changed = kept.model_copy(update=other)
        monkeypatch.setattr(recorded, "read", {"four_brakes": changed}.get)
        assert band(draw("training", lab="four_brakes", run=run.id)) is None


def test_a_lab_without_a_recording_has_none(runs: Path) -> None:
    run = folders.write_run(runs, "finished", lab="split_trap")
    assert band(draw("data", lab="split_trap", run=run.id)) is None
