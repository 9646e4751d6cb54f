"""The chain on the pages: its header, what a lab stands on, the split that travels."""

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages import folders
from tests.pages.test_pages import button, draw, words
from tests.trainer.chain_folder import NEW, OLD, champion, four_brakes, split_trap, write
from trainer.chain import inputs
from trainer.runs import RunConfig
from ui import number

SAID = json.dumps({"turn": 17, "brake": "dropout"})


def header(app: AppTest) -> dict[str, Any]:
    """What the drawn route is given, by the names of its stops."""
    (found,) = (
        json.loads(component.proto.json)
        for component in app.get("bidi_component")
        if "stations" in component.proto.json
    )
    return found | {station["name"]: station for station in found["stations"]}


def test_with_nothing_made_every_link_is_missing_in_a_word(runs: Path) -> None:
    for page in ("data", "serving"):
        found = header(draw(page))
        marks = [(each["mark"], each["glyph"]) for each in found["stations"]]
        assert marks == [("missing", "○")] * 7
        assert found["stale"] == ""
    assert len(header(draw("home"))["stations"]) == 6


def test_the_header_says_fresh_and_stale_with_figure_and_reason(runs: Path) -> None:
    split_trap(runs)
    model = four_brakes(runs)
    champion(runs, model)
    found = header(draw("software"))
    data, training = found["Data"], found["Training"]
    assert (data["mark"], data["product"], data["origin"]) == ("fresh", "by device: 0.52", "M")
    assert (training["mark"], training["product"]) == ("fresh", "0.71 right")
    assert found["Champion"]["product"] == f"version 1: {number.figure(0.625)}"
    split_trap(runs, NEW)
    found = header(draw("software"))
    assert [each["name"] for each in found["stations"] if each["mark"] == "stale"] == [
        "Training",
        "Champion",
    ]
    assert "other tickets than stage 1 gives now" in found["Training"]["why"]
    assert "Stale links: Training, Champion" in found["stale"]


def test_a_link_leads_to_its_run_and_keeps_the_learner(runs: Path) -> None:
    model = four_brakes(runs, learner="ada")
    champion(runs, model, learner="ada")
    found = header(draw("data", learner="ada"))
    assert found["Training"]["path"] == "training"
    assert found["Training"]["query"] == f"lab=four_brakes&run={model.id}"
    assert (found["Champion"]["path"], found["Champion"]["query"]) == ("serving", "")
    assert found["query"] == "learner=ada"
    assert found["Serving"]["query"] == ""
    assert header(draw("data"))["Training"]["mark"] == "missing"


def test_training_stands_on_the_tickets_of_stage_1_and_says_so(
    asked: list[RunConfig], runs: Path
) -> None:
    split_trap(runs)
    app = draw("training", lab="four_brakes", said=SAID, sure="certain")
    assert "Stands on: tickets `3f2a…`, split by device." in words(app)
    button(app, "Train").click().run()
    assert (asked[0].data, asked[0].parent) == (f"{OLD}.device", None)
    assert "Stands on: tickets `3f2a…`, split by device." in words(app)


def test_the_usual_tickets_can_be_wished_for_and_stand_in_the_address(
    asked: list[RunConfig], runs: Path
) -> None:
    split_trap(runs)
    app = draw("training", lab="four_brakes", said=SAID)
    (toggle,) = (each for each in app.toggle if "usual tickets" in each.label)
    toggle.set_value(True).run()
    assert app.query_params["alone"] == "yes"
    assert "Stands on the usual tickets alone." in words(app)
    button(app, "Train").click().run()
    assert (asked[0].data, asked[0].parent) == (None, None)
    again = draw("training", lab="four_brakes", said=SAID, alone="yes")
    assert "Stands on the usual tickets alone." in words(again)


def test_without_anything_to_stand_on_there_is_no_line(asked: list[RunConfig]) -> None:
    app = draw("training", lab="four_brakes", said=SAID)
    assert "Stands on" not in words(app)
    assert not [each for each in app.toggle if "usual tickets" in each.label]
    button(app, "Train").click().run()
    assert asked[0].data is None


def test_a_run_says_whose_model_it_went_on_with(runs: Path) -> None:
    folders.write_catalogue(runs)
    model = four_brakes(runs)
    run = folders.write_run(runs, "running", parent=model.id, data=f"{OLD}.row")
    text = words(draw("training", run=run.id))
    line = f"Stands on: tickets `3f2a…`, split by row; model of run `{model.id}`, 0.71 right (M)."
    assert line in text


def test_the_chosen_split_is_kept_with_the_run_and_travels(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = split_trap(runs, settings={"rows": 6000}, prediction=0.5)
    app = draw("data", run=run.id)
    (choice,) = (each for each in app.radio if "Stage 2 trains" in each.label)
    assert choice.value == "device"
    assert "inflated promise travels on" in choice.options[0]
    assert "promised 0.75" in choice.options[0]
    choice.set_value("row").run()
    assert run.notes["split"] == "row"
    assert inputs(runs, "local", "four_brakes").data == f"{OLD}.row"


def test_the_tickets_of_an_earlier_run_can_be_used_again(runs: Path) -> None:
    folders.write_catalogue(runs)
    first, _ = split_trap(runs, prediction=0.5), split_trap(runs, NEW)
    app = draw("data", run=first.id)
    assert "Stage 2 uses the tickets of another run of yours." in words(app)
    button(app, "Use these tickets again").click().run()
    assert inputs(runs, "local", "four_brakes").data == f"{OLD}.device"
    assert "Stage 2 uses these tickets now." in words(app)


def test_nobody_chooses_for_another_learner(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = split_trap(runs, learner="ada", prediction=0.5)
    app = draw("data", run=run.id)
    assert not [each for each in app.radio if "Stage 2 trains" in each.label]


def test_the_history_names_what_a_run_stood_on(runs: Path) -> None:
    folders.write_catalogue(runs)
    model = four_brakes(runs)
    folders.write_run(runs, "finished", data=f"{OLD}.row")
    write(runs, "follow_one_multiply", parent=model.id)
    (table,) = draw("runs").dataframe
    tail = model.id.partition("four_brakes")[2]
    told = {"", "tickets 3f2a… by row", f"model of four_brakes{tail}"}
    assert set(table.value["Stands on"]) == told
