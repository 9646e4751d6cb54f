"""Pictures draw what a run sent, and say the same in words."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from course.lesson import NumberPredict
from course.load import load

LOG: dict[str, Any] = {
    "workers": 2,
    "algorithm": "ring",
    "bytes": 4096,
    "sends": [
        [0, 1, 0, 2048, 0.0, 0.1],
        [1, 0, 1, 2048, 0.05, 0.2],
        [0, 1, 1, 2048, 0.2, 0.3],
        [1, 0, 0, 2048, 0.25, 0.5],
    ],
}
POINTS = [[4096, 0.25], [4096, 0.27], [1_048_576, 2.5]]
FITTED = {"name": "ring", "points": POINTS, "latency_ms": 0.25, "ms_per_byte": 2e-6}
LINES = {"lines": [FITTED | {"error_pct": 12.0}, {"name": "tree", "points": POINTS[:2]}]}


def _picture(kind: str, value: object) -> None:
    """A page with one picture of the lab; runs as a script of its own."""
    from course.load import load
    from ui import pictures

    spec = next(spec for spec in load().labs["all_reduce"].pictures if spec.kind == kind)
    pictures.KINDS[kind](spec, value)


def draw(kind: str, value: dict[str, Any]) -> AppTest:
    app = AppTest.from_function(_picture, args=(kind, value), default_timeout=60).run()
    assert not app.exception, app.exception[0].value
    return app


def test_the_replay_gets_the_log_and_words_that_count_it() -> None:
    [component] = draw("ring", LOG).get("bidi_component")
    sent = json.loads(component.proto.json)
    assert sent["sends"] == LOG["sends"]
    assert "4 sends in 0.50 ms" in sent["alt"]
    assert "rank 0 sent 1.00 messages, rank 1 sent 1.00 messages" in sent["alt"]


def test_a_fit_says_latency_bandwidth_and_its_error_with_their_origin() -> None:
    app = draw("fit", LINES)
    [words] = [str(element.value) for element in app.markdown]
    assert "**0.25 ms** :green-badge[M] + size / **0.50 GB/s**" in words
    assert "off by **12 %**" in words
    assert "tree" not in words, "one size gives no line"


@pytest.mark.parametrize("chart", ["latency_ms", "gb_per_s"])
def test_a_count_that_no_axis_shows_plants_no_flag(chart: str) -> None:
    lesson = load().labs["all_reduce"]
    [part] = lesson.predict.parts
    assert isinstance(part, NumberPredict)
    assert part.form == "count"

    def curves() -> None:
        from course.load import load
        from ui import lab_chart
        from ui.lab_states import Opened
        from ui.settings import Chosen

        opened = Opened(lesson=load().labs["all_reduce"], info=None, is_planted=True)
        lab_chart.show(opened, {"ring": 1.5}, Chosen())

    app = AppTest.from_function(curves, default_timeout=60).run()
    assert not app.exception, app.exception[0].value
    sent = [json.loads(component.proto.json) for component in app.get("bidi_component")]
    [mine] = [data for data in sent if data["chart"] == chart]
    assert mine["flag"] is None
    assert mine["level"] is None
    assert mine["has_best"] is False
    assert mine["is_log"] is (chart == "latency_ms")
