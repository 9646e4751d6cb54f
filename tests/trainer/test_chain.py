"""The rules of the chain, one by one, over written run folders."""

from pathlib import Path

import pytest

from tests.trainer.chain_folder import NEW, OLD, champion, clock, four_brakes, split_trap, write
from trainer.chain import Inputs, Link, chain, inputs, split_of

USERS = ("same_maths", "follow_one_multiply", "xid_night_shift")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of its own for each test: a chain is made of all runs in it."""
    return tmp_path


def link(runs: Path, stage: str, learner: str = "local") -> Link:
    (found,) = (each for each in chain(runs, learner) if each.stage == stage)
    return found


def test_of_nothing_every_link_is_missing_and_a_lab_stands_on_nothing(runs: Path) -> None:
    links = chain(runs, "local")
    names = ["data", "training", "networking", "software", "operations", "registry", "serving"]
    assert [each.stage for each in links] == names
    assert {each.state for each in links} == {"missing"}
    assert inputs(runs, "local", "four_brakes") == Inputs()
    assert inputs(runs, "local", "same_maths") == Inputs()


def test_stage_1_gives_its_tickets_split_by_device_until_another_split_is_chosen(
    runs: Path,
) -> None:
    run = split_trap(runs)
    assert link(runs, "data").data == f"{OLD}.device"
    assert link(runs, "data").value == 0.52
    run.note(split="row", split_at=float(next(clock)))
    assert inputs(runs, "local", "four_brakes") == Inputs(data=f"{OLD}.row")
    assert link(runs, "data").value == 0.75


def test_a_split_that_was_not_trained_cannot_be_chosen(runs: Path) -> None:
    run = split_trap(runs)
    for wrong in ("month", "../row", 3, None):
        run.note(split=wrong)
        assert split_of(run) == "device"


def test_the_tickets_that_came_or_were_chosen_last_are_those_that_stage_1_gives(
    runs: Path,
) -> None:
    first, second = split_trap(runs, OLD), split_trap(runs, NEW)
    assert link(runs, "data").run == second.id
    first.note(split="device", split_at=float(next(clock)))
    assert link(runs, "data").run == first.id


@pytest.mark.parametrize("status", ["RUNNING", "FAILED", "KILLED"])
def test_a_run_that_has_not_finished_is_no_link(runs: Path, status: str) -> None:
    write(runs, "same_maths", status=status)
    assert link(runs, "networking").state == "missing"


def test_a_run_that_kept_no_model_is_no_link_and_no_parent(runs: Path) -> None:
    write(runs, "four_brakes")
    assert link(runs, "training").state == "missing"
    assert inputs(runs, "local", "same_maths").parent is None


def test_a_model_is_fresh_on_todays_tickets_whether_named_or_the_usual_ones(runs: Path) -> None:
    assert link(runs, "training").state == "missing"
    run = four_brakes(runs)
    assert link(runs, "training").state == "fresh"
    split_trap(runs)
    found = link(runs, "training")
    assert (found.run, found.state, found.why) == (run.id, "fresh", "")
    assert found.value == 0.71


def test_a_model_of_other_tickets_or_of_another_split_is_stale_and_says_why(runs: Path) -> None:
    split_trap(runs, NEW)
    four_brakes(runs, OLD)
    found = link(runs, "training")
    assert found.state == "stale"
    assert found.why == "Trained on other tickets than stage 1 gives now: 3f2a, not 9b7c."
    four_brakes(runs, NEW, "row")
    why = "Trained on another split than stage 1 gives now: by row, not by device."
    assert link(runs, "training").why == why


@pytest.mark.parametrize("lab", USERS)
def test_what_uses_the_model_stands_on_the_newest_one(runs: Path, lab: str) -> None:
    stage = {"same_maths": "networking", "follow_one_multiply": "software"}.get(lab, "operations")
    model = four_brakes(runs)
    assert inputs(runs, "local", lab) == Inputs(data=f"{OLD}.device", parent=model.id)
    run = write(runs, lab, parent=model.id)
    found = link(runs, stage)
    assert (found.run, found.state) == (run.id, "fresh")
    assert (found.what, found.value) == ("lost steps", 3)
    four_brakes(runs)
    found = link(runs, stage)
    assert found.state == "stale"
    assert found.why.endswith("the model of an older training run.")


def test_a_run_with_a_model_of_its_own_is_stale_once_stage_2_has_one(runs: Path) -> None:
    write(runs, "same_maths")
    assert link(runs, "networking").state == "fresh"
    four_brakes(runs)
    why = "Spreads a model of its own, not the one of stage 2."
    assert link(runs, "networking").why == why


def test_what_stands_on_a_stale_model_is_stale_too(runs: Path) -> None:
    model = four_brakes(runs)
    write(runs, "follow_one_multiply", parent=model.id)
    split_trap(runs, NEW)
    assert link(runs, "software").why == "Traces a model that is stale itself."


def test_a_grandchild_stands_on_the_model_as_well(runs: Path) -> None:
    model = four_brakes(runs)
    child = write(runs, "same_maths", parent=model.id)
    write(runs, "xid_night_shift", parent=child.id)
    assert link(runs, "operations").state == "fresh"


def test_the_champion_is_fresh_while_it_is_made_of_todays_model(runs: Path) -> None:
    model = four_brakes(runs)
    mended = write(runs, "xid_night_shift", parent=model.id)
    for run in (model, mended):
        champion(runs, run)
        found = link(runs, "registry")
        assert (found.state, found.run) == ("fresh", run.id)
    assert (found.version, found.value) == (2, 0.625)
    four_brakes(runs)
    assert link(runs, "registry").why == "Holds the model of an older training run."


def test_the_champion_of_a_stale_model_is_stale(runs: Path) -> None:
    champion(runs, four_brakes(runs))
    split_trap(runs, NEW)
    assert link(runs, "registry").why == "Holds a model that is stale itself."


def test_serving_stands_on_the_champion_and_before_there_is_one_on_the_model(runs: Path) -> None:
    lab = "latency_or_throughput"
    first = four_brakes(runs)
    champion(runs, first)
    second = four_brakes(runs)
    assert inputs(runs, "local", lab).parent == first.id
    write(runs, lab, parent=first.id)
    assert link(runs, "serving").why == "Serves a model that is stale itself."
    champion(runs, second)
    assert link(runs, "serving").why == "Serves another model than today's champion."
    write(runs, lab, parent=second.id)
    assert link(runs, "serving").state == "fresh"
    assert inputs(runs, "ada", lab) == Inputs()


def test_serving_stays_fresh_when_its_own_run_becomes_the_champion(runs: Path) -> None:
    model = four_brakes(runs)
    champion(runs, model)
    swap = write(runs, "latency_or_throughput", parent=model.id)
    champion(runs, swap)
    assert (link(runs, "serving").state, link(runs, "registry").state) == ("fresh", "fresh")


def test_a_broken_registry_is_no_champion(runs: Path) -> None:
    champion(runs, four_brakes(runs))
    for text in ("", "two\n", "7\n", "../1"):
        (runs / "models" / "alarm-desk.local" / "champion").write_text(text)
        assert link(runs, "registry").state == "missing"


def test_each_learner_has_a_chain_of_its_own(runs: Path) -> None:
    split_trap(runs, learner="ada")
    four_brakes(runs, learner="ada")
    assert link(runs, "training", "ada").state == "fresh"
    assert link(runs, "training", "local").state == "missing"
    assert link(runs, "training", "../ada").state == "missing"


def test_a_lab_outside_the_chain_stands_on_nothing(runs: Path) -> None:
    four_brakes(runs)
    for lab in ("all_reduce", "split_trap"):
        assert inputs(runs, "local", lab) == Inputs()
