"""Incidents and the table behind them: judged by one rule, true to NVIDIA's catalogue."""

import csv
import re
from pathlib import Path

import pytest

from course import exercise, xid
from course.document import ContentError
from course.exercise import ACTIONS, Incident
from course.load import CONTENT, load

COURSE = load()
INCIDENTS = COURSE.exercises["xid"]
FORM = re.compile(r"NVRM: Xid \(PCI:[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\): [0-9]+, .+")
# Read twice by hand from the catalogue: what is to be done at once.
AT_ONCE = {
    13: "restart_app",
    31: "restart_app",
    43: "ignore",
    45: "workflow",
    48: "workflow",
    63: "ignore",
    64: "reset_gpu",
    74: "workflow",
    79: "reboot",
    92: "ignore",
    94: "restart_app",
    95: "reset_gpu",
    109: "reset_gpu",
    119: "reset_gpu",
    120: "reset_gpu",
    154: "information",
}


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: incident.id)
def test_each_action_is_judged_and_each_reason_is_its_own(incident: Incident) -> None:
    judged = {action: exercise.judge(incident, action) for action in ACTIONS}
    assert [action for action in ACTIONS if judged[action].is_right] == [incident.right]
    assert {each.right for each in judged.values()} == {incident.right}
    assert {each.why for each in judged.values()} == {incident.why}
    assert not judged[incident.right].why_not
    reasons = [judged[action].why_not for action in ACTIONS if action != incident.right]
    assert len({incident.why, *reasons}) == len(ACTIONS)


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: incident.id)
def test_a_log_has_the_kernels_form_and_known_numbers(incident: Incident) -> None:
    assert all(FORM.fullmatch(line) for line in incident.log)
    assert set(incident.codes) <= COURSE.xid.keys()
    assert not re.search(r"\bXid\b", incident.symptom), "the symptom comes first, not the number"


def test_there_are_enough_incidents_and_each_action_is_right_more_than_once() -> None:
    assert len(INCIDENTS) >= 12
    right = [incident.right for incident in INCIDENTS]
    assert all(right.count(action) >= 2 for action in ACTIONS), right
    assert all(right.count(action) <= len(right) / 2 for action in ACTIONS), right


def test_a_choice_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="none of restart, reset, drain, ticket"):
        exercise.judge(INCIDENTS[0], "pray")


def test_the_score_counts_answers_and_leaves_out_what_is_none() -> None:
    first, second, *_ = INCIDENTS
    wrong = next(action for action in ACTIONS if action != second.right)
    answers = {first.id: first.right, second.id: wrong, "unknown": "reset", INCIDENTS[2].id: "?"}
    assert exercise.score(INCIDENTS, answers) == exercise.Score(2, 1, len(INCIDENTS))


def test_the_table_has_each_number_once_with_source_and_date() -> None:
    with (CONTENT / "facts" / "xid.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    numbers = [int(row["code"]) for row in rows]
    assert numbers == sorted(set(numbers))
    assert numbers == list(COURSE.xid)
    assert {row["source"] for row in rows} <= COURSE.sources.keys()
    assert all(re.fullmatch(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", row["as_of"]) for row in rows)


@pytest.mark.parametrize(("code", "bucket"), AT_ONCE.items())
def test_the_table_says_what_the_catalogue_says(code: int, bucket: str) -> None:
    assert COURSE.xid[code].now == bucket


def test_three_beliefs_that_are_wrong_in_public_are_right_here() -> None:
    assert "could not be corrected" in COURSE.xid[94].meaning
    assert "next reset" in COURSE.xid[63].meaning
    assert COURSE.xid[61].name != COURSE.xid[62].name


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("13,Graphics", "11,Graphics", "xid.csv:4: 11: stands twice"),
        ("reset_gpu", "pray", "now: Input should be"),
        ("2025-10-29", "lately", "as_of: Input should be"),
    ],
)
def test_a_fault_in_the_table_is_named_with_its_line(
    old: str, new: str, says: str, tmp_path: Path
) -> None:
    text = (CONTENT / "facts" / "xid.csv").read_text(encoding="utf-8")
    (tmp_path / "xid.csv").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ContentError) as caught:
        xid.read_codes(tmp_path / "xid.csv", tmp_path)
    assert says in str(caught.value)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"xid\.csv:1: is missing"):
        xid.read_codes(tmp_path / "xid.csv", tmp_path)
