"""The pictures of an endpoint under load, and those that stand before a question."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

POINT = {"name": "15% of capacity", "per_s": 100.0, "p50": 2.0, "p95": 3.0, "p99": 4.0}
POINT |= {"mean_ms": 2.5, "inside": 0.24, "is_late": False}
LATE = POINT | {"name": "90% of capacity", "per_s": 600.0, "p95": 30.0, "is_late": True}
TRADE = {"points": [POINT, LATE], "computed": [POINT], "times": 3.0, "knee": 480.0}
BARE = {"rows": [[1, 8.5], [32, 24.0]], "limit": 32, "start_ms": 8.0, "row_ms": 0.5, "error": 0.02}
SIZES = {"groups": [{"name": "15%", "shares": {"1": 0.75, "2": 0.25}}], "expected": {"1": 1.0}}
CARD = ("run", "lab", "learner", "parent", "data", "ticket", "metrics", "files", "export", "date")
CODE = {"text": "max_batch_size: 32", "language": "protobuf"}


def _picture(kind: str, value: object) -> None:
    """A page with one picture of the lab; runs as a script of its own."""
    from course.load import load
    from ui import pictures

    specs = load().labs["latency_or_throughput"].pictures
    pictures.KINDS[kind](next(spec for spec in specs if spec.kind == kind), value)


def _before(_kind: str, _value: object) -> None:
    from course.load import load
    from ui import lab_before
    from ui.lab_states import Opened

    lesson = load().labs["latency_or_throughput"]
    lab_before.show(Opened(lesson=lesson, info=None))


def draw(kind: str, value: dict[str, Any], page: Any = _picture) -> AppTest:
    app = AppTest.from_function(page, args=(kind, value), default_timeout=60).run()
    assert not app.exception, app.exception[0].value
    return app


def words(app: AppTest) -> str:
    return " ".join(str(element.value) for element in app.markdown)


def test_the_trade_says_where_the_knee_lies_and_what_littles_law_gives() -> None:
    told = words(draw("trade", TRADE))
    assert "at **480 answers/s** :green-badge[M] p95 passes 3 times" in told
    assert "rate times mean **1.50** :gray-badge[C], counted **0.24** :green-badge[M]" in told
    assert "Hollow" in told
    calm = draw("trade", TRADE | {"points": [POINT], "knee": None})
    assert "No knee yet" in words(calm)
    assert "Hollow" not in words(calm)


def test_a_service_curve_gives_its_line_and_what_it_lets_through() -> None:
    told = words(draw("service", BARE))
    assert "S(n) = **8.00 ms** :green-badge[M] + n times **0.50 ms**" in told
    assert "in batches of 32 **1,333 rows/s** :gray-badge[C]" in told
    assert words(draw("service", {"rows": BARE["rows"], "limit": 32})) == ""


@pytest.mark.parametrize(("kind", "value"), [("histogram", SIZES), ("code", CODE)])
def test_the_other_pictures_draw(kind: str, value: dict[str, Any]) -> None:
    app = draw(kind, value)
    assert kind != "code" or app.code[0].value == "max_batch_size: 32"


def test_before_the_question_stands_what_the_endpoint_measured_of_the_champion(runs: Path) -> None:
    assert words(draw("", {}, _before)) == "", "no champion, no picture"
    version = runs / "models" / "alarm-desk.local" / "3"
    version.mkdir(parents=True)
    (version / "card.json").write_text(json.dumps(dict.fromkeys(CARD, "x")))
    for name in ("model.safetensors", "config.json", "model.onnx"):
        (version / name).touch()
    (version.parent / "champion").write_text("3\n")
    assert words(draw("", {}, _before)) == "", "not measured yet"
    (version.parent / "bare-3.json").write_text(json.dumps({"rows": BARE["rows"]}))
    assert "+ n times **0.50 ms**" in words(draw("", {}, _before))
