"""The guides: one an objective, in order, each tied to the stages, its labs and its sources."""

import re

import pytest

from course.guide import Guide
from course.load import CONTENT, load

COURSE = load()
GUIDES = list(COURSE.guides.values())
each_guide = pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.objective)


def test_the_guides_follow_the_exam() -> None:
    assert list(COURSE.guides) == list(COURSE.objectives)
    assert list(COURSE.guides).index("2.10") == list(COURSE.guides).index("2.9") + 1


def test_the_folder_holds_the_guides_and_nothing_else() -> None:
    assert {path.name for path in (CONTENT / "guides").iterdir()} == {
        f"{objective}.md" for objective in COURSE.objectives
    }


@each_guide
def test_a_guide_is_long_enough_and_no_longer(guide: Guide) -> None:
    """Counted as a reader counts: cells of tables are words, their lines are not."""
    spoken = [word for word in read(guide).split() if re.search(r"\w", word)]
    assert 400 <= len(spoken) <= 900


@each_guide
def test_the_first_paragraph_reads_easily(guide: Guide) -> None:
    first = guide.body.split("\n\n")[0]
    lengths = [len(sentence.split()) for sentence in re.split(r"[.!?]\s", first)]
    assert max(lengths) <= 24
    assert sum(lengths) / len(lengths) <= 17
    assert len(lengths) >= 3


@each_guide
def test_each_row_of_a_table_has_as_many_cells_as_its_head(guide: Guide) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", guide.body, re.M)
    assert tables
    for table in tables:
        assert len({line.count("|") for line in table.strip().splitlines()}) == 1, table


@each_guide
def test_the_traps_quote_a_claim_and_answer_it(guide: Guide) -> None:
    traps = guide.body.split("## Traps\n")[1].split("\n## ")[0].strip().splitlines()
    assert len(traps) >= 4
    for trap in traps:
        assert re.fullmatch(r'- \*\*".+[.?]"\*\* .+\.', trap), trap


@each_guide
def test_a_guide_rests_on_the_study_guide_and_on_something_else(guide: Guide) -> None:
    assert "nca_aiio_study_guide" in guide.sources
    assert len(set(guide.sources)) == len(guide.sources) >= 3


@each_guide
def test_a_guide_was_reviewed_after_its_sources_were_read(guide: Guide) -> None:
    assert guide.reviewed >= max(COURSE.sources[each].read for each in guide.sources)


@each_guide
def test_the_sources_of_quoted_figures_are_those_of_the_guide(guide: Guide) -> None:
    shown = re.findall(r"\{\{ figure (\w+) \}\}", guide.body)
    needed = {COURSE.figures[each].source for each in shown} - {None}
    assert needed <= set(guide.sources)


@each_guide
def test_an_uncertain_figure_is_called_so_in_the_guide(guide: Guide) -> None:
    shown = re.findall(r"\{\{ figure (\w+) \}\}", guide.body)
    if any(COURSE.figures[each].uncertain for each in shown):
        assert "uncertain" in guide.body.lower()


def test_most_labs_are_led_to_from_a_guide_of_each_of_their_objectives() -> None:
    led = {(lab, guide.objective) for guide in GUIDES for lab in guide.labs}
    assert {lab for lab, _ in led} <= set(COURSE.labs)
    for lab in COURSE.labs.values():
        assert any((lab.id, each) in led for each in lab.objectives), lab.id


def read(guide: Guide) -> str:
    """The body without inserts and code."""
    return re.sub(r"\{\{.*?\}\}|`[^`]*`", "", guide.body)
