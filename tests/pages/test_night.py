"""The bars of a night say in words what was lost, how long it was down and what was redone."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

WHOLE = ["undisturbed", [["trains", 0.0, 9.0]]]
SPANS = [["trains", 0.1, 4.0], ["lost", 4.0, 5.0], ["down", 5.0, 7.5], ["again", 7.5, 8.6]]
HURT = ["hurt", [*SPANS, ["trains", 8.6, 12.0]]]


def _picture(value: object) -> None:
    """A page with the picture alone; runs as a script of its own."""
    from course.load import load
    from ui import pictures

    lesson = load().labs["xid_night_shift"]
    spec = next(spec for spec in lesson.pictures if spec.kind == "night")
    pictures.KINDS["night"](spec, value)


def words(*lanes: Any) -> str:
    app = AppTest.from_function(_picture, args=({"lanes": list(lanes)},), default_timeout=60).run()
    assert not app.exception, app.exception[0].value
    return " ".join(each.value for each in app.markdown)


def test_the_price_is_told_in_seconds_as_measured() -> None:
    told = words(WHOLE, HURT)
    assert "Hurt: 1.0 s lost, 2.5 s down, 1.1 s computed again." in told
    assert "badge[M]" in told
    assert "Undisturbed" not in told


@pytest.mark.parametrize("lanes", [(WHOLE,), (WHOLE, ["hurt", [["trains", 0.0, 9.1]]])])
def test_a_night_in_which_nothing_happened_says_so(lanes: Any) -> None:
    assert "Nothing was lost and nothing was down." in words(*lanes)
