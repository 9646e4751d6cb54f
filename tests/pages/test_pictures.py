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


def _bars_in_time(value: object) -> None:
    from course.load import load
    from ui import pictures

    spec = next(spec for spec in load().labs["same_maths"].pictures if spec.kind == "gantt")
    pictures.KINDS["gantt"](spec, value)


LANES = [
    {"name": "rank 0", "bars": [["forward", 0.0, 1.0], ["backward", 1.0, 4.0]]},
    {"name": "rank 0 sends", "bars": [["all-reduce", 2.0, 3.0], ["all-reduce", 4.0, 5.0]]},
]
STEP = {"step": 5, "lanes": LANES, "hidden_share": 0.5, "bucket_bytes": [4096, 1_048_576]}


def test_bars_in_time_stand_where_the_clock_put_them_and_say_what_was_hidden() -> None:
    app = AppTest.from_function(_bars_in_time, args=(STEP,), default_timeout=60).run()
    assert not app.exception, app.exception[0].value
    [chart] = app.get("plotly_chart")
    drawn = {bar["name"]: bar for bar in json.loads(chart.proto.spec)["data"]}
    assert list(drawn) == ["forward", "backward", "all-reduce"]
    assert drawn["all-reduce"]["base"] == [2.0, 4.0]
    assert drawn["all-reduce"]["y"] == [1, 1]
    [words] = [str(element.value) for element in app.markdown]
    assert "buckets of 4.00 KiB and 1,024 KiB" in words
    assert "50 % passed while it still computed gradients" in words
    assert words.count("green-badge[M]") == 1


def test_bars_in_time_without_any_bucket_say_so() -> None:
    alone = STEP | {"hidden_share": None, "lanes": LANES[:1], "bucket_bytes": []}
    app = AppTest.from_function(_bars_in_time, args=(alone,), default_timeout=60).run()
    assert not app.exception, app.exception[0].value
    assert "no gradient was under way" in str(app.markdown[0].value)


def _table(value: object) -> None:
    from course.load import load
    from ui import pictures

    spec = next(spec for spec in load().labs["same_maths"].pictures if spec.kind == "table")
    pictures.KINDS["table"](spec, value)


def test_a_table_shows_texts_as_code_figures_with_their_origin_and_gaps_as_gaps() -> None:
    figure = {"value": 2.5, "unit": "ms", "origin": "M"}
    value = {"columns": ["", "one", "two"], "rows": [["a", "1f", figure], ["b", None, figure]]}
    app = AppTest.from_function(_table, args=(value,), default_timeout=60).run()
    assert not app.exception, app.exception[0].value
    shown = app.table[0].value
    assert shown["one"].tolist() == ["`1f`", ""]
    assert shown["two"].tolist() == ["**2.50 ms** :green-badge[M]"] * 2


def test_other_links_take_as_long_as_their_documented_rates_say() -> None:
    app = draw("links", {"bytes": 6 * 2**20, "ms": 20.0})
    shown = dict(zip(app.table[0].value["over"], app.table[0].value["time"], strict=True))
    assert shown == {
        "this machine's sockets": "**20,000 µs** :green-badge[M]",
        "NVLink of one H200": "**14.0 µs** :gray-badge[C]",
        "NDR InfiniBand, one port": "**126 µs** :gray-badge[C]",
        "Ethernet, one port": "**503 µs** :gray-badge[C]",
    }
    assert app.table[0].value["rate"].tolist()[1] == "**900 GB/s** :blue-badge[D]"
