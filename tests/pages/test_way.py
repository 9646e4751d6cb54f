"""The page of the whole way: one picture that says all in words, and three orders of one list."""

import json
from pathlib import Path

import pytest

from course.load import load
from tests.pages.test_pages import draw

pytestmark = pytest.mark.filterwarnings("ignore:SOCKS support")
COURSE = load()
STAGES = [f"**{stage.number} {stage.title}**" for stage in COURSE.stages.values()]
LABS = {lab.id: f"Lab {lab.number}, {lab.title}" for lab in COURSE.labs.values()}


def links(order: str) -> list[str]:
    app = draw("way", order=order)
    return [link.proto.label for link in app.main.get("page_link")]


def test_the_picture_says_in_words_what_it_shows(runs: Path) -> None:
    texts = [each.proto.json for each in draw("way").get("bidi_component")]
    body = json.loads(next(text for text in texts if 'class=\\"way\\"' in text))["body"]
    alt = body.split('aria-label="')[1].split('"')[0]
    for step in COURSE.way.steps:
        for word in (step.does, *step.software, *step.machines):
            assert word in alt
            assert word in body.split(alt)[1]


@pytest.mark.parametrize("order", ["By stage", "In reading order"])
def test_every_stage_and_lab_stands_in_the_list_in_the_order_of_the_job(
    runs: Path, order: str
) -> None:
    expected: list[str] = []
    for stage, label in zip(COURSE.stages.values(), STAGES, strict=True):
        expected += [label, *(LABS[lab.id] for lab in COURSE.labs_of(stage.id))]
    assert links(order) == expected


def test_by_objective_every_one_stands_with_all_that_teaches_it(runs: Path) -> None:
    shown = links("By exam objective")
    stages = sum(len(stage.objectives) for stage in COURSE.stages.values())
    labs = sum(len(lab.objectives) for lab in COURSE.labs.values())
    assert len(shown) == stages + labs
    app = draw("way", order="By exam objective")
    drawn = [str(each.value) for each in app.markdown]
    for objective in COURSE.objectives.values():
        assert f"**{objective.id}** {objective.title}" in drawn
