"""The page of the objectives: the list in three orders, and the guide that the address names."""

from collections import Counter
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from course.load import load
from tests.pages.test_pages import draw, words

pytestmark = pytest.mark.filterwarnings("ignore:SOCKS support")
COURSE = load()
LABELS = {each.id: f"**{each.id}** {each.title}" for each in COURSE.objectives.values()}
GUIDES = list(COURSE.guides)


def links(app: AppTest) -> dict[str, str]:
    """The queries of the page's links, by their labels."""
    return {link.proto.label: link.proto.query_string for link in app.main.get("page_link")}


def ordered(app: AppTest, order: str) -> list[str]:
    app.get("button_group")[0].set_value(order).run()
    assert not app.exception
    drawn = [link.proto.label for link in app.main.get("page_link")]
    return [label for label in drawn if label in LABELS.values()]


def test_the_list_leads_to_every_guide_in_each_order(runs: Path) -> None:
    app = draw("objectives", learner="ada")
    shown = links(app)
    for objective, label in LABELS.items():
        assert f"objective={objective}" in shown[label]
        assert "learner=ada" in shown[label]
    by_stage = [LABELS[each] for stage in COURSE.stages.values() for each in stage.objectives]
    assert ordered(app, "By stage") == by_stage
    assert ordered(app, "In reading order") == list(dict.fromkeys([*by_stage, *LABELS.values()]))
    assert ordered(app, "By exam domain") == list(LABELS.values())


@pytest.mark.parametrize("objective", [GUIDES[0], "2.10", GUIDES[-1]])
def test_a_guide_stands_with_its_labs_and_between_its_neighbours(
    runs: Path, objective: str
) -> None:
    guide, place = COURSE.guides[objective], GUIDES.index(objective)
    app = draw("objectives", objective=objective, learner="ada")
    shown = links(app)
    assert app.title[0].value == f"{objective} {guide.title}"
    beside = {label.split(": ")[0]: q for label, q in shown.items() if ": **" in label}
    near = {"Previous": GUIDES[place - 1 : place], "Next": GUIDES[place + 1 : place + 2]}
    assert beside.keys() == {word for word, found in near.items() if found}
    assert all(f"objective={near[word][0]}" in query for word, query in beside.items())
    labs = Counter(f"lab={each}" for each in guide.labs)
    assert Counter(q.split("&")[0] for q in shown.values() if q.startswith("lab=")) == labs
    assert all("learner=ada" in query for query in shown.values())


def test_every_guide_is_drawn_and_no_insert_is_left_over(runs: Path) -> None:
    app = draw("objectives")
    for guide in COURSE.guides.values():
        app.query_params["objective"] = guide.objective
        app.run()
        assert not app.exception, f"{guide.objective}: {app.exception[0].value}"
        assert app.title[0].value == f"{guide.objective} {guide.title}"
        assert "{{" not in words(app)


def test_an_unknown_objective_is_a_sentence_above_the_list(runs: Path) -> None:
    app = draw("objectives", objective="9.9")
    (warning,) = app.warning
    assert "There is no objective" in warning.value
    assert "9.9" in warning.value
    assert set(LABELS.values()) <= links(app).keys()


def test_a_stage_leads_to_the_guides_of_its_objectives(runs: Path) -> None:
    shown = links(draw("data"))
    for objective in COURSE.stages["data"].objectives:
        assert f"objective={objective}" in shown[LABELS[objective]]
