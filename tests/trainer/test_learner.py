"""A learner's name is made safe, and no run is kept under one that is not."""

from pathlib import Path

import pytest

from trainer import runs
from trainer.dispatch.queue import Waiting, order
from trainer.errors import BadSetting
from trainer.learner import LEARNER, clean
from trainer.runs import RunConfig, list_runs


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("ada", "ada"),
        ("Ada L.", "ada-l"),
        ("Zoë", "zoe"),
        ("  class 7b / desk 12  ", "class-7b-desk-12"),
        ("../../etc/passwd", "etc-passwd"),
        ("<script>alert(1)</script>", "script-alert-1-script"),
        ("x" * 90, "x" * 40),
        ("x" * 39 + "--y", "x" * 39),
        ("---", ""),
        ("", ""),
        ("\N{GRINNING FACE}", ""),
        ("\x00\n", ""),
    ],
)
def test_a_text_is_kept_as_a_safe_name_or_not_at_all(typed: str, kept: str) -> None:
    assert clean(typed) == kept
    assert clean(kept) == kept
    assert not kept or LEARNER.fullmatch(kept)


@pytest.mark.parametrize("name", ["Ada", "a b", "", "a/b", "a.b", "ada\n", "x" * 41])
def test_a_run_under_any_other_name_is_refused_with_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadSetting, match="learner must be 1 to 40 of the characters") as refused:
        runs.create(tmp_path, RunConfig(lab="toy", learner=name))
    assert len(str(refused.value).splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_the_history_and_the_line_are_kept_by_learner(tmp_path: Path) -> None:
    for learner in ("ada", "bob", "ada"):
        runs.create(tmp_path, RunConfig(lab="toy", learner=learner))
    assert len(list_runs(tmp_path, learner="ada")) == 2
    waiting = [
        Waiting(id=run.id, learner=run.config.learner, queued_at=float(place))
        for place, run in enumerate(reversed(list_runs(tmp_path)))
    ]
    line = order(waiting, {"ada": 1}, {})
    assert line[0].learner == "bob", "who has nothing going comes before who has"
