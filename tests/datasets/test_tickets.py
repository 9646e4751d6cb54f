"""What the tickets are like: shares, copies, families, labels, personal data, spans and honesty."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from trainer.datasets import Desk, Dials, answers, closed
from trainer.datasets.store import Answers
from trainer.datasets.templates import causes, language
from trainer.datasets.world import MONTHS, World


@pytest.fixture(scope="module")
def truth(folder: Path) -> Answers:
    return answers(folder)


def test_every_row_and_the_card_say_synthetic(folder: Path, desk: Desk, truth: Answers) -> None:
    rows = [*desk.tickets, *closed(folder), *truth.rows]
    assert {row["origin"] for row in rows} == {"synthetic"} == set(desk.origin)
    assert desk.card["synthetic"] is True
    assert "synthetic" in desk.card["title"]


def test_causes_are_as_frequent_as_the_world_says(truth: Answers) -> None:
    originals = truth.true[truth.duplicate_of < 0]
    expected = World(Dials()).tickets.sum(axis=1).mean(axis=0)
    found = np.bincount(originals, minlength=10) / len(originals)
    # Families come in clumps of up to ten, so the error is that of about a third as many tickets.
    assert np.all(np.abs(found - expected) < 4 * np.sqrt(expected / (len(originals) / 3)))


def test_without_habit_and_drift_the_shares_are_the_priors() -> None:
    world = World(Dials(habit=0.0, families=0.0, drift=0.0))
    prior = np.array([cause.prior for cause in causes()])
    season = np.array([np.mean(cause.season) for cause in causes()])
    expected = prior * season / (prior * season).sum()
    assert np.allclose(world.tickets.sum(axis=1).mean(axis=0), expected, atol=0.02)


def test_one_to_three_causes_hold_nine_tenths_of_a_device() -> None:
    world = World(Dials())
    for device, habit in zip(world.devices, world.habits, strict=True):
        assert 1 <= len(set(device.favourites)) == len(device.favourites) <= 3
        assert habit[list(device.favourites)].sum() >= 0.9
        assert habit.sum() == pytest.approx(1)


def test_every_copy_points_to_an_earlier_original_of_the_same_ticket(
    desk: Desk, truth: Answers
) -> None:
    copies = np.flatnonzero(truth.duplicate_of >= 0)
    assert 0.03 < len(copies) / len(desk) < 0.07
    for copy in copies:
        original = truth.duplicate_of[copy]
        assert original < copy
        assert truth.duplicate_of[original] == -1
        assert desk.device[copy] == desk.device[original]
        assert np.array_equal(desk.alarms[copy], desk.alarms[original])
        assert desk.texts[copy].lower() == desk.texts[original].lower()


def test_a_family_has_one_cause_one_month_and_up_to_ten_originals(
    desk: Desk, truth: Answers
) -> None:
    originals = truth.duplicate_of < 0
    sizes = Counter(truth.family[originals].tolist())
    large = [family for family, size in sizes.items() if size > 1]
    assert len(large) > 50
    assert max(sizes.values()) <= 10
    for family in large:
        rows = truth.family == family
        assert len(set(truth.true[rows])) == len(set(desk.month[rows])) == 1
        assert causes()[truth.true[rows][0]].family


def test_about_six_of_a_hundred_labels_are_wrong_mostly_confusably(
    desk: Desk, truth: Answers
) -> None:
    wrong = np.flatnonzero(desk.recorded != truth.true)
    assert 0.045 < len(wrong) / len(desk) < 0.08
    near = [desk.causes[desk.recorded[r]] in causes()[truth.true[r]].confusable for r in wrong]
    assert 0.7 < np.mean(near) < 0.95


def test_tickets_are_in_the_order_of_time_and_ids(desk: Desk) -> None:
    times = [ticket["opened_at"] for ticket in desk.tickets]
    assert times == sorted(times)
    ids = [ticket["ticket_id"] for ticket in desk.tickets]
    assert ids == sorted(set(ids))


def test_the_table_and_the_text_tell_the_same_story(desk: Desk) -> None:
    new_names = language().new_names
    for row in range(0, len(desk), 7):
        ticket = desk.tickets[row]
        names = [desk.alarm_names[column] for column in np.flatnonzero(desk.alarms[row])]
        if ticket["platform"] == "new":
            names = [new_names.get(name, name) for name in names]
        assert sorted(line["name"] for line in ticket["alarms"]) == sorted(names)
        text = ticket["text"].lower()
        assert all(line["name"].lower() in text for line in ticket["alarms"][:6])
        device = desk.card["devices"][desk.device[row]]
        assert ticket["node"] == device["name"]
        for part in ("node", "site", "vendor", "firmware"):
            assert ticket[part].lower() in text
        assert desk.causes[desk.recorded[row]] == ticket["cause_recorded"]


def test_drift_brings_new_names_late_wordings_and_other_causes(desk: Desk, truth: Answers) -> None:
    early, late = desk.month < MONTHS // 2, desk.month >= 18
    is_new = np.array([ticket["platform"] == "new" for ticket in desk.tickets])
    is_late_wording = np.array([row["wording"] == "late" for row in truth.rows])
    timing = truth.true == desk.causes.index("timing_fault")
    assert is_new[early].sum() == 0
    assert is_new[late].mean() > 0.7
    assert is_late_wording[early].mean() < 0.3 < 0.7 < is_late_wording[late].mean()
    assert timing[late].mean() > 3 * timing[early].mean()


def test_personal_data_comes_from_reserved_ranges_only(desk: Desk, truth: Answers) -> None:
    names = {
        f"{first} {last}" for first in language().first_names for last in language().last_names
    }
    assert 0.15 < np.mean([bool(row["pii_spans"]) for row in truth.rows]) < 0.21
    for text, row in zip(desk.texts, truth.rows, strict=True):
        assert all(int(a) < 256 for a in re.findall(r"192\.0\.2\.(\d+)", text))
        assert len(re.findall(r"\d+\.\d+\.\d+\.\d+", text)) == text.count("192.0.2.")
        assert re.findall(r"@[\w.]*\w", text.lower()) in ([], ["@example.com"])
        assert len(re.findall(r"\d{3}-\d{4}", text)) == len(re.findall(r"555-01\d\d", text))
        told = [text[start:end] for start, end in row["pii_spans"]]
        found = {name for name in names if name.lower() in text.lower()}
        assert len(found) <= 1
        hidden = text
        for part in told:
            hidden = hidden.replace(part, "")
        assert not re.search(r"@|555-|192\.0|account 9", hidden, re.IGNORECASE)
        assert not any(name.lower() in hidden.lower() for name in found)


def test_spans_of_evidence_are_sentences_of_the_true_cause(desk: Desk, truth: Answers) -> None:
    counts = Counter(min(row["n_evidence"], 3) for row in truth.rows)
    assert counts[1] > counts[2] > counts[3]
    assert 0.05 < counts[0] / len(desk) < 0.12  # six in a hundred, and the tickets without a note
    for text, row in zip(desk.texts, truth.rows, strict=True):
        for start, end in row["evidence_spans"] + row["hedge_spans"]:
            assert text[start - 1] == " "
            assert text[end - 1] == "."


def test_leak_fields_give_the_cause_away_and_stay_out_of_the_tickets(
    folder: Path, desk: Desk, truth: Answers
) -> None:
    late = closed(folder)
    codes = {(row["close_code"], true) for row, true in zip(late, truth.true.tolist(), strict=True)}
    assert len(codes) == 10
    assert set(desk.card["leak_fields"]) == set(late[0]) - {"ticket_id", "origin"}
    assert not set(desk.tickets[0]) & (set(desk.card["leak_fields"]) | {"cause_true", "family_id"})
    assert all(5 < row["minutes_to_restore"] < 10_000 for row in late)
