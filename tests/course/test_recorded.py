"""Recordings: those that are kept can be used, and hold only for runs that are set alike."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from course.load import CONTENT, load
from course.recorded import FOLDER, parse, read

KEPT = sorted((CONTENT / FOLDER).glob("*.json"))
LINE = {"steps": [1, 2], "low": [0.9, 0.7], "mid": [1.0, 0.8], "high": [1.1, 0.9]}
LARGEST = 100_000  # bytes


def one(**other: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "lab": "four_brakes",
        "preset": "cpu",
        "settings": {"rows": 200, "words": False},
        "seeds": [1, 2, 3],
        "data": "0123456789abcdef",
        "device": "cpu",
        "machine": "A processor",
        "torch": "2.13.0+cpu",
        "date": "2026-11-30",
        "plan": {"steps": 2},
        "lines": {"val/loss": LINE},
    }
    return told | other


SAME: dict[str, Any] = {
    "preset": "cpu",
    "settings": {"words": False, "rows": 200},
    "device": "cpu",
    "torch": "2.14.1",
}


@pytest.mark.parametrize("place", KEPT, ids=lambda place: place.stem)
def test_a_kept_recording_is_small_and_of_a_lab_that_exists(place: Path) -> None:
    found = parse(place.read_text())
    assert found.lab == place.stem
    assert found.lab in load().labs
    assert place.stat().st_size < LARGEST
    charts = {spec.data for spec in load().labs[found.lab].pictures if spec.kind == "curve"}
    assert charts & {name.partition("/")[2] for name in found.lines}


def test_the_same_settings_may_expect_the_band() -> None:
    assert parse(json.dumps(one())).holds_for(**SAME)


@pytest.mark.parametrize(
    "other",
    [
        {"settings": {"rows": 201, "words": False}},
        {"settings": {"rows": 200}},
        {"settings": {"rows": 200, "words": False, "more": 1}},
        {"preset": "gpu"},
        {"device": "cuda"},
        {"torch": "3.0.0"},
    ],
)
def test_whatever_else_may_not(other: dict[str, Any]) -> None:
    assert not parse(json.dumps(one())).holds_for(**SAME | other)


@pytest.mark.parametrize(
    ("data", "parent", "may"),
    [
        (None, None, True),
        ("0123456789abcdef", None, True),
        ("0123456789abcdef.device", None, True),
        ("0123456789abcdef.row", None, False),
        ("ffffffffffffffff", None, False),
        (None, "20261130-101512-four_brakes-3f2a", False),
    ],
)
def test_it_holds_for_the_same_tickets_and_no_kept_model(
    data: str | None, parent: str | None, may: bool
) -> None:
    assert parse(json.dumps(one())).stands_on(data, parent) is may


@pytest.mark.parametrize(
    "fault",
    [
        {"lines": {}},
        {"lines": {"val/loss": LINE | {"low": [0.9]}}},
        {"lines": {"val/loss": LINE | {"low": [1.05, 0.7]}}},
        {"lines": {"val/loss": LINE | {"steps": [2, 1]}}},
        {"seeds": [1]},
        {"date": "yesterday"},
        {"machine": ""},
        {"more": 1},
    ],
)
def test_a_damaged_recording_is_none(tmp_path: Path, fault: dict[str, Any]) -> None:
    text = json.dumps(one(**fault))
    with pytest.raises(ValidationError):
        parse(text)
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "four_brakes.json").write_text(text)
    assert read("four_brakes", tmp_path) is None
    assert read("another", tmp_path) is None
