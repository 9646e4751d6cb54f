"""Every rule holds over the real content, and each of them notices its own fault."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from course import check, regions
from course.load import CONTENT

LAB = """\
class Config:
    epochs: int = 60


def train(config, run):
    # region {region}
    run.log(1)
    # endregion
    run.show("scores", 1)
    run.show("fingerprint", 1)
    run.show("leak", 1)
    run.show("brakes", 1)
    run.show("turn_epoch", 22)
    run.show("best_brake", "dropout")
    run.find("{finding}", 0.1, "A tenth.")
"""


@dataclass(frozen=True)
class Plant:
    """A fault: in `file` the first `old` becomes `new`; `rule` must point at the line of `at`."""

    rule: str
    file: str
    old: str
    new: str
    at: str | None
    says: str


LONG = "word " * 300
PLANTS = [
    Plant(**row)
    for row in yaml.safe_load(Path(__file__).with_name("faults.yaml").read_text(encoding="utf-8"))
]


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A copy of the content, beside labs that measure and mark what the lessons ask for."""
    shutil.copytree(CONTENT, tmp_path / "content")
    labs = tmp_path / "labs"
    labs.mkdir()
    for lesson in CONTENT.glob("labs/*.md"):
        shutil.copy(CONTENT.parent / "labs" / f"{lesson.stem}.py", labs)
        for file, _ in regions.asked(lesson.read_text(encoding="utf-8")):
            if file.startswith("trainer/"):  # code of the engine that a lesson shows
                (tmp_path / "trainer").mkdir(exist_ok=True)
                shutil.copy(CONTENT.parent / file, tmp_path / file)
    (labs / "split_trap.py").write_text(LAB.format(region="train", finding="row_split_gap"))
    (labs / "four_brakes.py").write_text(LAB.format(region="loop", finding="turn_epoch"))
    names = ("stack", "shares", "calls_about", "multiply_share")
    shown = [f'run.show("{name}", 1)' for name in names]
    marked = [f"# region {name}\nrun.log(1)\n# endregion" for name in ("step", "loop")]
    (labs / "follow_one_multiply.py").write_text("\n".join([*marked, *shown]))
    return tmp_path / "content"


def broken(results: list[check.Result]) -> dict[str, check.Result]:
    return {result.rule: result for result in results if result.faults}


def test_every_rule_holds_over_the_projects_own_content_and_labs() -> None:
    faults = [str(fault) for result in check.check() for fault in result.faults]
    assert faults == []


def test_the_copy_without_a_fault_breaks_no_rule(content: Path) -> None:
    assert broken(check.check(content)) == {}


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: f"{plant.rule}-{plant.new[:20]!r}")
def test_a_planted_fault_is_reported_with_file_and_line(content: Path, plant: Plant) -> None:
    path = content / plant.file
    before = path.read_text(encoding="utf-8")
    assert plant.old in before
    after = before.replace(plant.old, plant.new.replace("@long", LONG), 1)
    path.write_text(after, encoding="utf-8")

    found = broken(check.check(content))

    assert plant.rule in found, found
    fault = next(each for each in found[plant.rule].faults if plant.says in str(each))
    assert re.match(r"content/[a-z_/]+[0-9.]*\.(md|yaml):[0-9]+: ", str(fault))
    if plant.at is not None:
        assert str(fault).startswith(f"content/{plant.file}:")
        assert fault.line == after[: after.index(plant.at)].count("\n") + 1


def test_every_rule_has_a_planted_fault() -> None:
    rules = {rule.__name__ for rule in check.RULES} | {check.SCHEMA}
    assert rules == {plant.rule for plant in PLANTS}


@pytest.mark.parametrize(
    ("spoil", "file"),
    [
        (lambda root: (root / "glossary.yaml").unlink(), "content/glossary.yaml:1"),
        (lambda root: (root / "stages" / "data.md").unlink(), "content/course.yaml:1"),
        (lambda root: (root / "guides" / "1.1.md").write_text("1.1"), "content/guides/1.1.md:1"),
        (lambda root: (root / "sources.yaml").write_text(""), "content/sources.yaml:1"),
        (lambda root: (root / "coverage.yaml").write_text("row: 1"), "content/coverage.yaml:1"),
    ],
)
def test_a_missing_or_empty_file_is_named(
    content: Path, spoil: Callable[[Path], object], file: str
) -> None:
    spoil(content)
    faults = [str(fault) for result in check.check(content) for fault in result.faults]
    assert any(fault.startswith(file) for fault in faults), faults


def test_a_region_marked_wrongly_in_a_lab_is_reported_where_the_lesson_asks(content: Path) -> None:
    lab = content.parent / "labs" / "four_brakes.py"
    lab.write_text(lab.read_text().replace("# endregion", ""))
    (fault,) = broken(check.check(content))["regions_exist"].faults
    assert str(fault).startswith("content/labs/four_brakes.md:")
    assert "has no endregion" in fault.message


def test_the_table_names_every_rule_and_the_command_says_how_it_went(
    content: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check.main([], content) == 0
    printed = capsys.readouterr().out
    assert all(rule.__name__ in printed for rule in check.RULES)
    asked = content / "questions" / "1.1.yaml"
    sound = asked.read_text(encoding="utf-8")
    asked.write_text(sound.replace("[nccl_overview]", "[nowhere]"), encoding="utf-8")
    assert check.main([], content) == 1
    assert "1.1-01: there is no source nowhere" in capsys.readouterr().out
    asked.write_text(sound, encoding="utf-8")
    (content / "stages" / "data.md").unlink()
    assert check.main([], content) == 1
    assert "content/course.yaml:1: stages/data.md is missing" in capsys.readouterr().out
