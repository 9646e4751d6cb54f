"""The picture of the layers: names, times and a text alternative, for every traced step."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from course.load import load
from ui import figure
from ui.pictures import stack

SPEC = next(p for p in load().labs["follow_one_multiply"].pictures if p.kind == "stack")


def layer(name: str, words: str, *, is_here: bool = True) -> dict[str, Any]:
    note = "" if is_here else "not here: this run uses no GPU"
    calls = 5 if is_here else None
    return {"layer": name, "name": words, "is_here": is_here, "calls": calls, "note": note}


def value() -> dict[str, Any]:
    """What a run of three steps leaves behind."""
    kind = [
        layer("script", "scores = model(<tickets>)"),
        layer("operator", "aten::addmm"),
        layer("kernel", "GPU kernel", is_here=False),
    ]
    usual = [0, [120.0, 30.0, None], [240.0, 60.0, None]]
    slow = [0, [999.0, 30.0, None], [1998.0, 60.0, None]]
    times = {"1": 1998.0, "2": 240.0, "3": 241.0}
    steps = {"1": slow, "2": usual, "3": usual}
    return {"chosen": 2, "step_us": times, "bare_us": 111.0, "kinds": [kind], "steps": steps}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The bodies that were drawn, in order."""
    bodies: list[str] = []
    monkeypatch.setattr(figure, "show", lambda body, key: bodies.append(body))
    return bodies


def open_app(**query: str) -> AppTest:
    def script() -> None:
        from tests.pages import test_stack

        test_stack.stack.show(test_stack.SPEC, test_stack.value())

    app = AppTest.from_function(script, default_timeout=20)
    app.query_params.update(query)
    return app.run()


def test_the_chosen_step_is_drawn_with_its_layers_in_words(drawn: list[str]) -> None:
    app = open_app()
    assert not app.exception
    (body,) = drawn
    assert 'role="img"' in body
    assert "Step 2: Your script: scores = model(&lt;tickets&gt;), 120 µs" in body
    assert "Kernel: GPU kernel (not here: this run uses no GPU)." in body
    assert '<li class="away">' in body
    assert "<tickets>" not in body
    assert "width:25.0%" in body, "a bar is as long as its time beside the longest"


def test_the_slider_shows_another_step_and_puts_it_into_the_address(drawn: list[str]) -> None:
    app = open_app()
    app.slider[0].set_value(1).run()
    assert app.query_params["step"] == "1"
    assert "Step 1: Your script" in drawn[-1]
    assert "1,998 µs" in app.markdown[0].value
    assert "111 µs" in app.markdown[0].value


def test_the_step_in_the_address_is_shown_and_the_slider_stands_there(drawn: list[str]) -> None:
    app = open_app(step="3")
    assert "Step 3: Your script" in drawn[-1]
    assert app.slider[0].value == 3


@pytest.mark.parametrize("wrong", ["0", "99", "-1", "two", "1e9", ""])
def test_a_step_that_was_not_traced_is_passed_over(drawn: list[str], wrong: str) -> None:
    assert not open_app(step=wrong).exception
    assert "Step 2: Your script" in drawn[-1]


def test_the_picture_is_drawn_by_the_lab_page() -> None:
    from ui import pictures

    assert pictures.KINDS[SPEC.kind] is stack.show
