"""The glossary's page is given every word, with its other names and the lessons that use it."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from course.load import load
from course.terms import uses
from tests.pages.test_pages import draw

pytestmark = pytest.mark.filterwarnings("ignore:SOCKS support")


def given_to_the_list(app: AppTest) -> dict[str, Any]:
    """What the component of the glossary gets; another one asks the theme."""
    texts = [each.proto.json for each in app.get("bidi_component")]
    return json.loads(next(text for text in texts if '"terms"' in text))


def test_every_word_is_given_with_its_lessons(runs: Path) -> None:
    given = {row["term"]: row for row in given_to_the_list(draw("glossary"))["terms"]}
    course, used = load(), uses(load())
    assert len(given) == len(course.terms) >= 120
    for term in course.terms.values():
        row = given[term.term]
        assert row["definition"] == term.definition
        assert set(row["also"]) <= set(term.also)
        assert len(row["uses"]) == len(used[term.id])
    assert given["hedge"]["also"] == []
    assert given["MIG"]["also"] == ["Multi-Instance GPU"]
    assert {"go": "training/four_brakes", "name": "Lab 2.5, Four brakes"} in given["hedge"]["uses"]


def test_a_wanted_word_in_the_address_is_handed_on(runs: Path) -> None:
    assert given_to_the_list(draw("glossary", find="gpu"))["find"] == "gpu"
