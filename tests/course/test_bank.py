"""Every gate holds over the real bank, and each of them notices its own fault."""

import dataclasses
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from course import bank, clues, gate
from course.document import ContentError, read_yaml
from course.load import CONTENT, Files, assemble, read_files
from course.material import Material
from course.question import Question

Row = dict[str, Any]
FILES = read_files(CONTENT)
REAL = Material(assemble(FILES), FILES, CONTENT.parent / "labs")
QUESTIONS = list(REAL.course.bank.questions.values())


@cache
def found() -> dict[str, gate.Gate]:
    """The gates over the real bank, by name."""
    return {each.name: each for each in bank.gates(REAL)}


def option(text: str) -> Row:
    return {"text": text, "why": "So it is."}


def row(number: int = 1, **change: Any) -> Row:
    """A sound question, with what a test changes."""
    sound: Row = {
        "id": f"2.10-{number:02}",
        "objective": "2.10",
        "covers": [44],
        "kind": "single",
        "form": "recall",
        "stem": "Which part takes chores of network and storage off the host?",
        "answers": [option("A DPU with cores")],
        "distractors": [option(f"A {name} with cores") for name in ("GPU", "CPU", "TPU")],
        "explanation": "It has cores of its own.",
        "difficulty": 1,
        "sources": ["doca_hardware"],
        "checked": "2026-11-30",
    }
    return sound | change


def material(folder: Path, rows: list[Row]) -> Material:
    """The real course with these questions in place of its own."""
    path = folder / "2.10.yaml"
    text = yaml.safe_dump(rows, sort_keys=False).replace("'2026-11-30'", "2026-11-30")
    path.write_text(text, encoding="utf-8")
    files: Files = dataclasses.replace(FILES, questions={"2.10": read_yaml(path, folder)})
    return Material(assemble(files), files, REAL.labs)


def many(**change: Any) -> list[Row]:
    """A bank large enough for shares, no two questions alike, each with the same change."""
    count = gate.FIRST_SHARES
    return [row(n, **({"stem": f"Say {n} of {n} for {n} and {n}?"} | change)) for n in range(count)]


@pytest.mark.parametrize("judge", bank.GATES, ids=lambda judge: judge.__name__)
def test_the_bank_passes_every_gate(judge: bank.GateOf) -> None:
    assert [str(fault) for fault in judge(REAL).faults] == []


def test_a_sound_question_breaks_no_gate(tmp_path: Path) -> None:
    assert [each.name for each in bank.gates(material(tmp_path, [row()])) if each.faults] == []


@pytest.mark.parametrize(
    ("judge", "change", "says"),
    [
        (bank.names_are_known, {"sources": ["nowhere"]}, "no source nowhere"),
        (bank.names_are_known, {"covers": [99]}, "no row 99"),
        (bank.names_are_known, {"lab": "nolab"}, "no lab nolab"),
        (bank.stems_are_short, {"stem": "Word. " * 61}, "a stem of 61 words"),
        (bank.stems_are_short, {"stem": "word " * 26}, "a sentence of 26 words"),
        (bank.options_name_no_place, {"answers": [option("All of the above")]}, "of the above"),
        (bank.options_name_no_place, {"answers": [option("Option B and a GPU")]}, "Option B"),
        (
            bank.numbers_are_sorted,
            {
                "answers": [option("140 GB")],
                "distractors": [option(f"{n} GB") for n in (280, 70, 35)],
            },
            "small to large",
        ),
        (
            bank.distractors_are_real,
            {"distractors": [option(text) for text in ("A GPU", "A CPU", "Nice weather")]},
            "Nice weather",
        ),
    ],
)
def test_a_gate_on_each_question_names_the_one_that_breaks_it(
    tmp_path: Path, judge: bank.GateOf, change: Row, says: str
) -> None:
    (fault,) = judge(material(tmp_path, [row(1), row(2, **change)])).faults
    assert says in fault.message
    assert fault.message.startswith("2.10-02: ")
    assert (tmp_path / "2.10.yaml").read_text().splitlines()[fault.line - 1] == "- id: 2.10-02"


def test_a_question_asked_twice_in_almost_the_same_words_is_found(tmp_path: Path) -> None:
    twin = row(2, stem="Which part takes chores of network and storage off the main host?")
    (fault,) = bank.no_two_are_alike(material(tmp_path, [row(1), twin])).faults
    assert "alike with 2.10-01" in fault.message


@pytest.mark.parametrize(
    ("judge", "change"),
    [
        (bank.longest_is_no_clue, {"answers": [option("A DPU with many more cores")]}),
        (bank.shortest_is_no_clue, {"answers": [option("A DPU")]}),
        (bank.no_cue_word, {"stem": "Which DPU?"}),
        (bank.absolutes_are_even, {"answers": [option("It is always a DPU")]}),
        (bank.forms_keep_their_shares, {"form": "scenario"}),
    ],
)
def test_a_gate_on_shares_is_broken_by_a_bank_of_such_questions_and_waits_for_a_large_one(
    tmp_path: Path, judge: bank.GateOf, change: Row
) -> None:
    broken, small = many(**change), many(**change)[:-1]
    assert judge(material(tmp_path, broken)).result == "broken"
    assert judge(material(tmp_path, small)).result == "waits"


def test_a_full_bank_must_have_ten_questions_for_each_objective(tmp_path: Path) -> None:
    full = [row() | {"id": f"2.10-{n:02}"} for n in range(99)]
    assert bank.objectives_have_enough(material(tmp_path, full)).result == "waits"
    course = REAL.course
    grown = {f"{n}": QUESTIONS[0] for n in range(bank.FULL)}
    larger = course.model_copy(update={"bank": course.bank.model_copy(update={"questions": grown})})
    assert bank.objectives_have_enough(Material(larger, FILES, REAL.labs)).result == "broken"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"distractors": [option("A GPU"), option("A CPU")]}, "1 answer and 3 distractors"),
        ({"kind": "multiple"}, "multiple takes 2 or 3 answers"),
        ({"exhibit": {"kind": "log", "text": "Xid 79"}}, "an exhibit makes the form"),
        ({"answers": [option("a gpu with cores")]}, "two options are the same"),
        ({"difficulty": 4}, "less than or equal to 3"),
    ],
)
def test_a_question_that_breaks_its_type_is_refused(tmp_path: Path, change: Row, says: str) -> None:
    with pytest.raises(ContentError, match=says):
        material(tmp_path, [row(**change)])


@pytest.mark.parametrize("number", ["2.9-01", "2.10-01"])
def test_an_id_is_unique_and_of_its_objective(tmp_path: Path, number: str) -> None:
    with pytest.raises(ContentError, match=r"2\.yaml|stands twice|not of objective"):
        material(tmp_path, [row(1), row(2) | {"id": number}])


def test_numbers_are_shown_by_size_and_others_by_the_seed() -> None:
    names = Question.model_validate(row() | {"checked": QUESTIONS[0].checked})
    orders = Counter(tuple(o.text for o in names.shown(seed)) for seed in range(240))
    assert len(orders) == 24
    assert names.shown(7) == names.shown(7)
    sizes = {"answers": [option("140 GB")]}
    sizes["distractors"] = [option(f"{size} GB") for size in ("35", "70", "1,120")]
    numeric = Question.model_validate(row(**sizes) | {"checked": QUESTIONS[0].checked})
    assert [o.text for o in numeric.shown(3)] == ["35 GB", "70 GB", "140 GB", "1,120 GB"]


def test_a_cue_is_a_word_of_weight_that_the_right_option_alone_repeats() -> None:
    told = row(stem="Which DPUs with cores do chores?") | {"checked": QUESTIONS[0].checked}
    assert clues.cues(Question.model_validate(told)) == {"dpu"}


def test_the_type_is_strict() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        Question.model_validate(row(mood="good") | {"checked": QUESTIONS[0].checked})


def test_the_table_names_every_gate_and_its_result() -> None:
    lines = gate.table(list(found().values())).splitlines()
    assert len(lines) == 1 + len(bank.GATES)
    assert all(line.endswith(("holds", "waits")) for line in lines[1:])
