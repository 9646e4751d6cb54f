"""What the texts must be, counted independently of the checker's own rules."""

import re

import pytest

from course.lesson import LabLesson
from course.load import load
from course.model import Stage

COURSE = load()
PAGES = [*COURSE.stages.values(), *COURSE.labs.values()]


def read(page: Stage | LabLesson) -> str:
    """The body without code."""
    return re.sub(r"\{\{.*?\}\}", "", page.body)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_a_lesson_is_long_enough_and_no_longer(page: Stage | LabLesson) -> None:
    shortest, longest = (490, 915) if isinstance(page, Stage) else (290, 615)
    assert shortest <= len(read(page).split()) <= longest


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_the_first_paragraph_reads_easily(page: Stage | LabLesson) -> None:
    first = read(page).strip().split("\n\n")[0]
    lengths = [len(sentence.split()) for sentence in re.split(r"[.!?]\s", first)]
    assert max(lengths) <= 24
    assert sum(lengths) / len(lengths) <= 17
    letters = [len(word) for word in re.findall(r"[A-Za-z]+", first)]
    assert sum(letters) / len(letters) <= 5


@pytest.mark.parametrize("stage", COURSE.stages.values(), ids=lambda stage: stage.id)
def test_a_stage_opens_by_naming_its_neighbours(stage: Stage) -> None:
    titles = [each.title for each in COURSE.stages.values()]
    first = stage.body.split("\n\n")[0]
    named = {title for title in titles if title in first}
    here = titles.index(stage.title)
    assert named == {titles[here - 1], titles[(here + 1) % 6]}


@pytest.mark.parametrize("lab", COURSE.labs.values(), ids=lambda lab: lab.id)
def test_a_lesson_never_tells_the_outcome_of_its_lab_in_figures(lab: LabLesson) -> None:
    spoken = [lab.question, lab.misconception, lab.body, *lab.hints, lab.fallback]
    spoken += [each for answer in lab.explain.answers for each in (answer.text, answer.why)]
    spoken += [each for picture in lab.pictures for each in (picture.caption, picture.alt)]
    code = re.compile(r"\{\{.*?\}\}|`[^`]*`")
    assert [text for text in spoken if re.search(r"\d", code.sub("", text))] == []


@pytest.mark.parametrize("lab", COURSE.labs.values(), ids=lambda lab: lab.id)
def test_hints_grow_more_direct_and_the_right_answer_is_not_always_first(lab: LabLesson) -> None:
    assert len(set(lab.hints)) == 3
    assert lab.hints[0].rstrip(".").endswith("?") or "?" in lab.hints[0]
    assert "?" not in lab.hints[2]


def test_the_right_explanations_do_not_all_stand_in_the_same_place() -> None:
    places = [[a.right for a in lab.explain.answers].index(True) for lab in COURSE.labs.values()]
    counts = {place: places.count(place) for place in set(places)}
    assert max(counts.values()) <= len(places) / 2, counts


def test_every_source_has_an_address_of_its_own() -> None:
    assert len({source.address for source in COURSE.sources.values()}) == len(COURSE.sources)
    assert all(
        source.address.startswith(("https://", "http://")) for source in COURSE.sources.values()
    )


def test_every_word_of_the_glossary_is_spoken_somewhere() -> None:
    spoken = [*PAGES, *COURSE.guides.values(), *COURSE.bank.questions.values()]
    everything = " ".join(each.model_dump_json() for each in spoken).lower()
    pages_say = {"band", "calibration", "ceiling", "finding", "origin", "run", "arm", "synthetic"}
    silent = [
        term.term
        for term in COURSE.terms.values()
        if not any(word.lower() in everything for word in (term.term, *term.also))
    ]
    assert set(silent) <= pages_say
