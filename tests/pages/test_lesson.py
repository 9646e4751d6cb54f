"""A lesson on its page: figures with their chips, ways to labs, sources with their days."""

from pathlib import Path

import pytest

from course.inserts import FIGURE, LAB, figures_in
from course.load import load
from course.model import Stage
from tests.pages.test_pages import draw

pytestmark = pytest.mark.filterwarnings("ignore:SOCKS support")
STAGES = list(load().stages.values())


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.id)
def test_a_stage_shows_its_figures_its_labs_and_its_sources(runs: Path, stage: Stage) -> None:
    course, app = load(), draw(stage.id)
    drawn = [str(each.value) for each in app.markdown]
    assert not [text for text in drawn if "{{" in text]
    for figure in figures_in(course, stage.body):
        letter = f"badge[{figure.origin}]"
        assert any(figure.says in text and letter in text for text in drawn), figure.id
        assert sum(letter in text for text in drawn) >= 2
    for source in (course.sources[each] for each in stage.sources):
        dated = f"[{source.title}]({source.address}), {source.publisher}, read on {source.read}."
        assert any(dated in text for text in drawn), source.id
    links = [link.proto.label for link in app.get("page_link")]
    for match in LAB.finditer(stage.body):
        lab = course.labs[match["id"]]
        assert f"**Lab {lab.number}, {lab.title}**" in links
        assert lab.question in drawn
    for objective in stage.objectives:
        title = course.objectives[objective].title
        assert any(objective in label and title in label for label in links), objective
    assert "All objectives, and where each is taught" in links


def test_lessons_lead_to_labs_and_quote_figures() -> None:
    asked = [match["id"] for stage in STAGES for match in LAB.finditer(stage.body)]
    assert sorted(asked) == sorted(load().labs), "put {{ lab ID }} into the lesson of its stage"
    assert sum(bool(FIGURE.search(stage.body)) for stage in STAGES) >= 3
