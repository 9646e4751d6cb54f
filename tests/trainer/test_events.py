"""The event file: whole lines, any offset, resumes, and whatever a crash leaves behind."""

import json
import math
from pathlib import Path

import pytest

from trainer import events
from trainer.events import Event


def metric(step: int, value: float = 1.0) -> Event:
    return Event(kind="metrics", step=step, t=1.5, seconds=0.25, values={"train/loss": value})


def test_reading_at_any_offset_never_splits_or_loses_a_line(tmp_path: Path) -> None:
    path = tmp_path / events.FILE
    whole = b"".join(metric(step).line() for step in range(20))
    seen, offset = [], 0
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        fresh, offset = events.read(path, offset)
        seen += [event.step for event in fresh]
    assert seen == list(range(20))
    assert offset == len(whole)


def test_each_line_is_strict_json_with_a_kind(tmp_path: Path) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    for value in (math.nan, math.inf, -math.inf, 1e-300):
        line = metric(1, value).line()
        assert json.loads(line, parse_constant=refuse)["kind"] == "metrics"
        back = events.parse(line)
        assert back is not None
        assert back.values["train/loss"] == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b'{"kind":"other"}', b'{"kind":"metrics"}', b"\xff"]
)
def test_a_line_that_is_no_event_is_left_out(line: bytes) -> None:
    assert events.parse(line) is None


def test_a_resume_takes_back_later_steps_so_each_stands_once() -> None:
    told = [metric(1), metric(2), metric(3)]
    resumed = Event(kind="resumed", t=2.0, step=2, values={"from_step": 2})
    standing = events.current([*told, resumed, metric(3), metric(4)])
    assert [event.step for event in standing if event.kind == "metrics"] == [1, 2, 3, 4]


def test_a_writer_after_a_crash_starts_on_a_fresh_line(tmp_path: Path) -> None:
    path = tmp_path / events.FILE
    path.write_bytes(metric(1).line() + b'{"kind":"met')
    events.append(path, metric(2).line(), durable=True)
    assert [event.step for event in events.read(path)[0]] == [1, 2]
