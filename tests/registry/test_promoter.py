"""The process behind the button: detached, told of in a file, and harmless when it is killed."""

import signal
from pathlib import Path

import pytest

from tests.history.waiting import until
from tests.registry.conftest import Shop
from trainer import registry
from trainer.errors import BadSetting, UnknownRun
from trainer.process import Identity, identity
from trainer.registry import promoter
from trainer.registry.promoter import Progress


def process_of(runs: Path, run_id: str) -> Identity:
    found = promoter._read(promoter._place(runs, run_id))
    assert found is not None
    return found[1]


def state_of(runs: Path, run_id: str) -> str:
    found = registry.progress(runs, run_id)
    return found.state if found else "none"


def test_a_run_is_registered_by_a_process_of_its_own(shop: Shop) -> None:
    run = shop.finished()
    assert registry.progress(shop.runs, run.id) is None
    assert registry.start(shop.runs, run.id, "local").state == "running"
    first = process_of(shop.runs, run.id)
    assert first.pid != identity().pid
    assert registry.start(shop.runs, run.id, "local").state == "running"
    assert process_of(shop.runs, run.id).pid == first.pid  # the second press began nothing
    until(lambda: state_of(shop.runs, run.id) != "running", "it ends", 100)
    found = registry.progress(shop.runs, run.id)
    assert found is not None
    assert (found.state, found.version) == ("done", 1), found.words
    made = registry.champion(shop.runs, "local")
    assert made is not None
    assert made.run == run.id


def test_a_killed_one_is_told_and_can_be_begun_again(shop: Shop) -> None:
    run = shop.finished()
    registry.start(shop.runs, run.id, "local")
    process_of(shop.runs, run.id).send(signal.SIGKILL)
    until(lambda: state_of(shop.runs, run.id) == "failed", "its death is seen")
    found = registry.progress(shop.runs, run.id)
    assert found is not None
    assert found.words == promoter.KILLED
    assert registry.versions(shop.runs, "local") == []
    assert registry.start(shop.runs, run.id, "local").state == "running"
    registry.end(shop.runs)
    assert not process_of(shop.runs, run.id).is_alive


def test_a_refusal_arrives_as_its_sentence(shop: Shop) -> None:
    run = shop.finished()
    (run.path / "artifacts" / "model.safetensors").unlink()
    registry.start(shop.runs, run.id, "local")
    until(lambda: state_of(shop.runs, run.id) == "failed", "it refuses", 100)
    found = registry.progress(shop.runs, run.id)
    assert found is not None
    assert "kept no model" in found.words


def test_what_cannot_be_is_refused_before_a_process_is_begun(shop: Shop) -> None:
    run = shop.finished()
    with pytest.raises(UnknownRun):
        registry.start(shop.runs, "../etc", "local")
    with pytest.raises(BadSetting, match="learner must be"):
        registry.start(shop.runs, run.id, "../ada")
    assert registry.progress(shop.runs, run.id) is None
    assert registry.progress(shop.runs, "../../etc/passwd") is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"state": "running"}', b'"x"'])
def test_a_spoilt_word_is_none(shop: Shop, content: bytes) -> None:
    run = shop.finished()
    promoter.tell(shop.runs, run.id, Progress(state="running"), identity())
    promoter._place(shop.runs, run.id).write_bytes(content)
    assert registry.progress(shop.runs, run.id) is None
