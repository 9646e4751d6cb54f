"""The picture of the layers: names, times and a text alternative, for every traced step."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from course.load import load
from ui import figure
from ui.pictures import stack

SPEC = next(p for p in load().labs["follow_one_multiply"].pictures if p.kind == "stack")


def layer(name: str, words: str, us: float | None, *, is_here: bool = True) -> dict[str, Any]:
    whole = {"calls": 5, "whole_us": 2 * us} if us else {"calls": None, "whole_us": None}
    note = "" if is_here else "not here: this run uses no GPU"
    return {"layer": name, "name": words, "is_here": is_here, "us": us, "note": note} | whole


def value() -> dict[str, Any]:
    rows = [
        layer("script", "scores = model(<tickets>)", 120.0),
        layer("operator", "aten::addmm", 30.0),
        layer("kernel", "GPU kernel", None, is_here=False),
    ]
    slow = [layer("script", "scores = model(<tickets>)", 999.0), *rows[1:]]
    times = {"1": 1998.0, "100": 240.0, "bare": 111.0}
    return {"chosen": "100", "step_us": times, "steps": {"100": rows, "1": slow}}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The bodies that were drawn, in order."""
    bodies: list[str] = []
    monkeypatch.setattr(figure, "show", lambda body, key: bodies.append(body))
    return bodies


def open_app() -> AppTest:
    def script() -> None:
        from tests.pages import test_stack

        test_stack.stack.show(test_stack.SPEC, test_stack.value())

    return AppTest.from_function(script, default_timeout=20).run()


def test_the_followed_step_stands_first_with_its_layers_in_words(drawn: list[str]) -> None:
    app = open_app()
    assert not app.exception
    (body,) = drawn
    assert 'role="img"' in body
    assert "Step 100: Your script: scores = model(&lt;tickets&gt;), 120 µs" in body
    assert "Kernel: GPU kernel (not here: this run uses no GPU)." in body
    assert '<li class="away">' in body
    assert "<tickets>" not in body
    assert "width:25.0%" in body, "a bar is as long as its time beside the longest"


def test_the_slider_shows_another_traced_step(drawn: list[str]) -> None:
    app = open_app()
    app.select_slider[0].set_value("1").run()
    assert "Step 1: Your script" in drawn[-1]
    assert "1,998 µs" in app.markdown[0].value
    assert "111 µs" in app.markdown[0].value


def test_the_picture_is_drawn_by_the_lab_page() -> None:
    from ui import pictures

    assert pictures.KINDS[SPEC.kind] is stack.show
