"""Reading the course: typed, in order, once, and with the place of every fault."""

import shutil
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from course.document import ContentError, read_markdown, read_yaml
from course.lesson import NumberPredict
from course.load import CONTENT, STAGE_IDS, load

LESSONS = sorted(CONTENT.glob("labs/*.md"))


def test_the_course_has_six_stages_in_the_order_of_the_job() -> None:
    assert tuple(load().stages) == STAGE_IDS
    assert [stage.number for stage in load().stages.values()] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("stage_id", STAGE_IDS)
def test_the_labs_stand_in_their_stages_by_number(stage_id: str) -> None:
    """Compared with the front matter of the files, read here without the loader."""
    fronts = {p.stem: p.read_text(encoding="utf-8").split("---\n")[1] for p in LESSONS}
    facts = {lab_id: yaml.safe_load(front) for lab_id, front in fronts.items()}
    here = [lab_id for lab_id, fact in facts.items() if fact["stage"] == stage_id]
    here.sort(key=lambda lab_id: int(facts[lab_id]["number"].split(".")[1]))
    assert [lab.id for lab in load().labs_of(stage_id)] == here


def test_every_lesson_file_is_a_lab_of_one_stage() -> None:
    shown = [lab.id for stage_id in STAGE_IDS for lab in load().labs_of(stage_id)]
    assert sorted(shown) == sorted(path.stem for path in LESSONS)
    assert len(LESSONS) >= 4


def test_the_course_is_read_once() -> None:
    assert load() is load(CONTENT)


def test_nothing_of_the_course_can_be_changed_after_reading() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load().title = "Another"


def test_a_fault_names_file_and_line(tmp_path: Path) -> None:
    root = tmp_path / "content"
    shutil.copytree(CONTENT, root)
    path = root / "labs" / "four_brakes.md"
    path.write_text(path.read_text().replace("tolerance: 3", "tolerance: wide"))
    line = path.read_text().split("tolerance: wide")[0].count("\n") + 1
    with pytest.raises(ContentError, match=rf"content/labs/four_brakes\.md:{line}: .*tolerance"):
        load(root)


def test_a_number_like_2_10_stays_a_string() -> None:
    assert "2.10" in load().objectives
    assert load().labs["four_brakes"].number == "2.5"


def test_lines_are_those_of_the_file_in_front_matter_and_body(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntitle: A\nlist:\n  - one\n  - two\n---\n\n\nFirst.\n\nSecond.\n")
    document = read_markdown(path, tmp_path)
    assert document.line_of("title") == 2
    assert document.line_of("list", 1) == 5
    assert document.line_of("list", 7) == 3
    assert document.find("First.") == 9
    assert document.find("Second.") == 11


@pytest.mark.parametrize(
    ("text", "line"), [("a: 1\na: 2\n", 2), ("a: 1\nb: [\n", 3), ("a: {b: 1, c: 2,\n b: 3}", 2)]
)
def test_broken_or_doubled_yaml_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int
) -> None:
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(ContentError) as caught:
        read_yaml(tmp_path / "x.yaml", tmp_path)
    assert caught.value.line == line


def test_one_part_may_be_written_without_a_list_and_packs_to_its_bare_value() -> None:
    predict = load().labs["split_trap"].predict
    (part,) = predict.parts
    assert isinstance(part, NumberPredict)
    assert predict.pack({"unseen": 0.6}) == 0.6
    assert predict.unpack(0.6) == {"unseen": 0.6}


def test_two_parts_pack_by_name_and_a_bare_value_belongs_to_the_first() -> None:
    predict = load().labs["four_brakes"].predict
    said = {"turn": 40.0, "brake": "dropout"}
    assert predict.unpack(predict.pack(said)) == said
    assert predict.unpack(40) == {"turn": 40, "brake": None}
    assert predict.unpack(None) == {"turn": None, "brake": None}


def test_a_target_is_beaten_only_beyond_it() -> None:
    target = load().labs["split_trap"].target
    assert target.is_beaten(target.value - 0.01)
    assert not target.is_beaten(target.value)


def test_a_row_counts_as_missing_what_it_needs_and_has_not() -> None:
    for cover in load().coverage:
        behind = {"L": cover.labs, "G": cover.guides + cover.lessons, "Q": cover.questions}
        assert cover.missing == "".join(each for each in cover.needs if not behind[each])
