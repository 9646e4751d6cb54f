"""The rows to cover: what they need, what counts for them, and the document that shows it."""

import shutil
from pathlib import Path

import pytest

from course import check, coverage
from course.load import CONTENT, load
from course.model import Cover

# What each of the 56 rows needs, in order: lab, text (guide or lesson), questions.
NEEDS = """
LG G G G LGQ LGQ LGQ LGQ LGQ L GQ LGQ LG LGQ LQ LQ LQ LQ LQ LQ LQ LQ LQ LQ LQ LQ LGQ LQ LQ LQ LQ LQ
LGQ LQ LQ LQ LG LGQ LQ LQ LQ LGQ LGQ LGQ LGQ GQ LGQ LGQ LGQ LGQ LQ LGQ LQ GQ LGQ LGQ
"""
PARTIAL = Cover(row=5, concept="Python", needs="LGQ", labs=("a_lab",), lessons=("software",))


def test_the_rows_need_what_the_plan_says() -> None:
    assert [cover.needs for cover in load().coverage] == NEEDS.split()


@pytest.mark.parametrize(
    ("behind", "has", "missing"),
    [
        ({}, "", "LGQ"),
        ({"labs": ("a",)}, "L", "GQ"),
        ({"lessons": ("a",)}, "G", "LQ"),
        ({"guides": ("1.1",)}, "G", "LQ"),
        ({"guides": ("1.1",), "lessons": ("a",), "questions": ("q",)}, "GQ", "L"),
        ({"labs": ("a",), "guides": ("1.1",), "questions": ("q",)}, "LGQ", ""),
    ],
)
def test_each_kind_answers_to_its_own_need(
    behind: dict[str, tuple[str, ...]], has: str, missing: str
) -> None:
    cover = Cover(row=5, concept="Python", needs="LGQ", **behind)
    assert (cover.has, cover.missing) == (has, missing)


def test_the_table_shows_a_row_as_open_until_every_kind_it_needs_is_there() -> None:
    closed = PARTIAL.model_copy(update={"questions": ("q1",)})
    course = load().model_copy(update={"coverage": (PARTIAL, closed)})
    _, first, second, *counts = coverage.table(course).splitlines()
    assert first.split() == ["5", "Python", "LGQ", "LG", "open"]
    assert second.split() == ["5", "Python", "LGQ", "LGQ", "closed"]
    assert counts == [
        "1 of 2 rows closed, 1 open",
        "L (a live lab): 2 of 2 rows that need it have it",
        "G (a text to read): 2 of 2 rows that need it have it",
        "Q (questions): 1 of 2 rows that need it have it",
    ]


def test_the_document_is_the_one_that_the_command_writes() -> None:
    path = CONTENT.parent / "docs" / "coverage.md"
    stale = "docs/coverage.md is stale: run python -m course.check --write"
    assert path.read_text(encoding="utf-8") == coverage.document(load()), stale


def test_the_command_prints_every_row_and_writes_the_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("content", "labs", "trainer"):
        shutil.copytree(CONTENT.parent / folder, tmp_path / folder)
    (tmp_path / "docs").mkdir()
    assert check.main(["--write"], tmp_path / "content") == 0
    printed = capsys.readouterr().out
    written = (tmp_path / "docs" / "coverage.md").read_text(encoding="utf-8")
    for cover in load().coverage:
        assert f"| {cover.row} | {cover.concept} | {cover.needs} |" in written
        assert cover.concept in printed
    assert coverage.counts(load())[0] in printed
    assert coverage.counts(load())[0] in written
