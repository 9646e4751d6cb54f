"""Under a finished run that kept a model stands the way into the registry, for its learner only."""

from pathlib import Path

import pytest

from tests.pages import folders
from tests.pages.test_pages import button, draw, words
from tests.registry import by_hand
from trainer import registry
from trainer.errors import BadState
from trainer.process import identity
from trainer.registry import Progress, promoter
from trainer.runs import Run

Started = list[tuple[str, str]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """Which run of which learner was to be registered; nothing is begun."""
    asked: Started = []

    def start(_runs: Path, run_id: str, learner: str) -> Progress:
        asked.append((run_id, learner))
        return Progress(state="running")

    monkeypatch.setattr(registry, "start", start)
    return asked


def finished(runs: Path, **config: str) -> Run:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, "finished", **config)
    (run.path / "artifacts").mkdir(exist_ok=True)
    (run.path / "artifacts" / "model.safetensors").write_bytes(b"weights")
    return run


def labels(app: object) -> list[str]:
    return [each.label for each in app.button]


def test_one_button_registers_the_run(runs: Path, started: Started) -> None:
    run = finished(runs)
    app = draw("training", run=run.id)
    assert "checks that both answer alike" in words(app)
    button(app, "Register as version 1 of `alarm-desk.local`").click().run()
    assert started == [(run.id, "local")]


def test_a_run_without_a_model_and_another_learners_run_have_no_button(
    runs: Path, started: Started
) -> None:
    run = finished(runs, learner="ada")
    assert "Register as" in "".join(labels(draw("training", run=run.id, learner="ada")))
    assert "Register as" not in "".join(labels(draw("training", run=run.id)))
    (run.path / "artifacts" / "model.safetensors").unlink()
    assert "Register as" not in "".join(labels(draw("training", run=run.id, learner="ada")))


def test_the_next_number_stands_on_the_button(runs: Path, started: Started) -> None:
    by_hand.make(runs, "20261130-101512-four_brakes-0001")
    app = draw("training", run=finished(runs).id)
    assert button(app, "Register as version 2")


def test_what_is_being_done_is_said_and_the_button_is_gone(runs: Path) -> None:
    run = finished(runs)
    promoter.tell(runs, run.id, Progress(state="running", words="writing it as ONNX"), identity())
    app = draw("training", run=run.id)
    assert "**Registering:** writing it as ONNX." in words(app)
    assert not [label for label in labels(app) if "Register" in label]


def test_a_failure_is_its_sentence_beside_the_button(runs: Path) -> None:
    run = finished(runs)
    promoter.tell(runs, run.id, Progress(state="failed", words="It does not fit."), identity())
    app = draw("training", run=run.id)
    assert app.warning[0].value == "It does not fit."
    assert button(app, "Register as version 1")


def test_a_registered_run_says_which_version_it_is_and_can_take_the_alias_back(runs: Path) -> None:
    run = finished(runs)
    by_hand.make(runs, run.id)
    app = draw("training", run=run.id)
    assert "**version 1** of `alarm-desk.local`, the champion" in words(app)
    by_hand.make(runs, "20261130-101512-four_brakes-0001")
    app = draw("training", run=run.id)
    assert "not the champion now" in words(app)
    button(app, "Make it champion").click().run()
    found = registry.champion(runs, "local")
    assert found is not None
    assert found.number == 1


def test_a_refusal_at_the_click_is_a_line(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> Progress:
        raise BadState("Another process is changing the registry.")

    monkeypatch.setattr(registry, "start", refuse)
    app = draw("training", run=finished(runs).id)
    button(app, "Register as").click().run()
    assert app.toast[0].value == "Another process is changing the registry."
