"""Data sets on disk: the same bytes for the same dials, made once, out of reach of answers."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from trainer.datasets import Desk, Dials, Vocabulary, alarm_features, load, prepare, word_ids
from trainer.datasets.dials import VERSION

SMALL = Dials(tickets=200, devices=20, seed=3)


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_dials_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = (prepare(tmp_path / runs, SMALL) for runs in ("a", "b"))
    assert first.name == second.name
    assert files_of(first) == files_of(second)


def test_the_bytes_are_those_of_this_generator_version(data_runs: Path) -> None:
    card = json.loads((prepare(data_runs, SMALL) / "card.json").read_text())
    # Other bytes under the same version would leave old folders in use: change VERSION too.
    assert (VERSION, card["content"][:16]) == ("2026-11-30", "a352d8c275cfefe5")


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 4},
        {"hard": 0.5},
        {"habit": 0.5},
        {"label_noise": 0.2},
        {"duplicates": 0.3},
        {"families": 0.2},
        {"drift": 0.0},
        {"devices": 21},
        {"tickets": 201},
    ],
)
def test_every_dial_changes_folder_and_content(data_runs: Path, change: dict[str, float]) -> None:
    usual = prepare(data_runs, SMALL)
    other = prepare(data_runs, Dials(**{"tickets": 200, "devices": 20, "seed": 3} | change))  # type: ignore[arg-type]
    assert other != usual
    assert load(other).card["content"] != load(usual).card["content"]


def test_whole_numbers_may_come_as_floats_and_mean_the_same() -> None:
    assert Dials(hard=1).digest() == Dials(hard=1.0).digest()  # a slider says 1, a script 1.0


@pytest.mark.parametrize(
    ("dial", "value"), [("habit", 0.95), ("tickets", 10), ("label_noise", -0.1), ("devices", 2.5)]
)
def test_a_dial_out_of_bounds_is_refused_by_name(dial: str, value: float) -> None:
    with pytest.raises(ValueError, match=dial):
        Dials(**{dial: value})  # type: ignore[arg-type]


def test_a_data_set_is_made_once_and_read_only(data_runs: Path) -> None:
    folder = prepare(data_runs, SMALL)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert prepare(data_runs, SMALL) == folder
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert all(path.stat().st_mode & 0o222 == 0 for path in folder.iterdir())


def test_two_makers_at_once_do_no_harm(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from trainer.datasets import Dials, prepare; "
        "input(); print(prepare(Path(sys.argv[1]), Dials(tickets=200, devices=20, seed=3)))"
    )
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for maker in makers:
        assert maker.stdin is not None
        maker.stdin.write("\n")
        maker.stdin.flush()
    made = [maker.communicate(timeout=60)[0].strip() for maker in makers]
    assert [maker.returncode for maker in makers] == [0, 0]
    assert len(set(made)) == 1
    assert [path.name for path in (tmp_path / "data").iterdir()] == [Path(made[0]).name]
    assert len(load(Path(made[0]))) == 200


def test_what_a_killed_maker_left_is_swept_away_later(tmp_path: Path) -> None:
    left = tmp_path / "data" / ".making-old"
    left.mkdir(parents=True)
    os.utime(left, (0, 0))
    fresh = tmp_path / "data" / ".making-now"
    fresh.mkdir()
    prepare(tmp_path, SMALL)
    assert not left.exists()
    assert fresh.exists()


def test_a_foreign_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no data set"):
        load(tmp_path)


def test_features_and_words_need_neither_answers_nor_late_fields(
    tmp_path: Path, folder: Path, desk: Desk
) -> None:
    bare = shutil.copytree(folder, tmp_path / "bare")
    (bare / "answers.jsonl").unlink()
    (bare / "closed.jsonl").unlink()
    other = load(bare)
    assert np.array_equal(alarm_features(other)[0], alarm_features(desk)[0])
    vocabulary = Vocabulary.fit(other.texts)
    assert np.array_equal(word_ids(other, vocabulary).ids, word_ids(desk, vocabulary).ids)


def test_no_answer_and_no_leak_field_is_reachable_from_a_desk(desk: Desk) -> None:
    hidden = {*desk.card["leak_fields"], "true", "family", "duplicate_of", "answers", "closed"}
    assert not hidden & {field.name for field in fields(desk)}
    names = " ".join(alarm_features(desk)[1])
    assert not any(word in names for word in desk.card["leak_fields"])
    assert {"habit", "favourites"}.isdisjoint(desk.card["devices"][0])


def test_making_tickets_needs_no_torch() -> None:
    code = "import sys, trainer.datasets; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
