"""What the split trap says of itself: gaps, leaks and the map of devices."""

import pytest

from tests.labs.conftest import RunLab
from trainer.run import Run

SMALL = {"tickets": 2000, "epochs": 8, "batch_size": 64, "learning_rate": 1e-3}


def leaks(run: Run) -> dict[str, float]:
    return {bar["name"]: bar["value"] for bar in run.record.samples["leak"]["bars"]}


def test_the_finding_is_the_gap_between_the_last_two_figures(run_lab: RunLab) -> None:
    run = run_lab("split_trap", SMALL)
    last, finding = run.metrics, run.finding
    assert finding is not None
    gap = last["row.val/accuracy"] - last["row.unseen/accuracy"]
    assert finding.name == "row_split_gap"
    assert finding.value == pytest.approx(gap, abs=1e-6)
    scores = run.record.samples["scores"]
    assert scores["rows"] == ["row", "device"]
    assert scores["values"][0][2] == pytest.approx(finding.value)


def test_the_device_is_named_as_the_leak_and_a_late_column_even_more(run_lab: RunLab) -> None:
    plain = run_lab("split_trap", SMALL)
    assert max(leaks(plain), key=leaks(plain).__getitem__) == "device"
    late = run_lab("split_trap", SMALL | {"late_column": True})
    assert max(leaks(late), key=leaks(late).__getitem__) == "late column"
    assert late.finding is not None
    assert "late column" in late.finding.text


def test_shares_of_causes_from_all_tickets_spoil_even_the_device_split(run_lab: RunLab) -> None:
    def device_gap(code: str) -> float:
        last = run_lab("split_trap", SMALL | {"code": code}).metrics
        return last["device.val/accuracy"] - last["device.unseen/accuracy"]

    assert device_gap("leaky") > device_gap("habit") + 0.1


def test_the_month_is_a_third_split_on_request(run_lab: RunLab) -> None:
    run = run_lab("split_trap", {"tickets": 1000, "epochs": 1, "by_month": True})
    assert list(run.plan["arms"]) == ["row", "device", "month"]
    assert "month.unseen/accuracy" in run.metrics


def test_the_map_shows_every_device_once_and_the_unseen_apart(run_lab: RunLab) -> None:
    drawn = run_lab("split_trap", SMALL).record.samples["fingerprint"]
    names = [name for name, _ in drawn["devices"]]
    assert len(set(names)) == len(names) == len(drawn["places"]) == 300
    unseen = [name for name, kind in drawn["devices"] if drawn["kinds"][kind] == "unseen"]
    assert len(unseen) >= 90


def test_the_ceilings_come_from_the_card_and_are_marked_as_computed(run_lab: RunLab) -> None:
    lines = run_lab("split_trap", SMALL).record.samples["ceiling"]
    assert [line["origin"] for line in lines] == ["C", "C"]
    assert lines[0]["value"] > lines[1]["value"]
