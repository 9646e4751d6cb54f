"""What a learner does in a lab: predict, train, stop, explain, record; what the address keeps."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import folders
from tests.pages.test_pages import button, draw, words
from trainer import runs as folder
from trainer.runs import RunConfig, RunStatus
from ui import planted as planted_words


def planted(**more: str) -> AppTest:
    said = json.dumps({"turn": 17, "brake": "dropout"})
    return draw("training", lab="four_brakes", said=said, sure="certain", **more)


def test_train_is_locked_until_something_was_said(asked: list[RunConfig]) -> None:
    app = draw("training", lab="four_brakes")
    assert button(app, "Train").disabled
    assert "Opens once you say what you expect" in words(app)


def test_planting_the_flag_opens_train_and_stands_in_the_address(asked: list[RunConfig]) -> None:
    app = draw("training", lab="four_brakes")
    app.slider[0].set_value(17)
    button(app, "Plant the flag").click().run()
    assert json.loads(app.query_params["said"]) == {"turn": 17, "brake": None}
    assert app.query_params["sure"] == "fairly"
    assert not button(app, "Train").disabled


def test_no_idea_opens_train_too(asked: list[RunConfig]) -> None:
    app = draw("training", lab="four_brakes")
    button(app, "No idea").click().run()
    button(app, "Train").click().run()
    assert asked[0].prediction is None
    assert asked[0].confidence is None


def test_train_starts_one_run_and_the_address_names_it(asked: list[RunConfig], runs: Path) -> None:
    app = planted(learner="ada")
    button(app, "Train").click().run()
    (config,) = asked
    assert config.lab == "four_brakes"
    assert config.prediction == {"turn": 17, "brake": "dropout"}
    assert config.confidence == "certain"
    assert config.learner == "ada"
    assert config.settings["rows"] == 200
    assert folder.find(runs, app.query_params["run"]).config == config


def test_settings_come_from_the_address_and_go_back_there(asked: list[RunConfig]) -> None:
    app = planted(rows="400", seed="7")
    rows = next(each for each in app.slider if each.label.startswith("Rows"))
    assert rows.value == 400
    rows.set_value(600).run()
    assert app.query_params["rows"] == "600"
    button(app, "Train").click().run()
    assert (asked[0].settings["rows"], asked[0].seed) == (600, 7)


@pytest.mark.parametrize("wrong", ["9999", "many", "nan", ""])
def test_a_wrong_setting_in_the_address_is_a_sentence(asked: list[RunConfig], wrong: str) -> None:
    app = planted(rows=wrong)
    assert "rows must be a whole number from 200 to 800" in app.warning[0].value
    button(app, "Train").click().run()
    assert asked[0].settings["rows"] == 200


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("learning_rate", "nan", "learning_rate must be a number from 1e-05 to 1, not `nan`."),
        ("seed", "-5", "seed must be a whole number from 0 to 2,147,483,647, not `-5`."),
        ("preset", "nope", "preset must be one of cpu, gpu, not `nope`."),
    ],
)
def test_what_is_left_out_of_the_address_is_said_where_it_is_seen(
    asked: list[RunConfig], name: str, value: str, told: str
) -> None:
    app = planted(**{name: value})
    (warning,) = app.warning
    assert told in warning.value
    assert "The usual value is used." in warning.value
    folded = [each.value for fold in app.expander for each in fold.warning]
    assert not folded
    button(app, "Train").click().run()
    assert (asked[0].settings["learning_rate"], asked[0].seed, asked[0].preset) == (
        0.01, 1337, "cpu",
    )  # fmt: skip


def test_two_things_left_out_are_one_warning(asked: list[RunConfig]) -> None:
    (warning,) = planted(seed="x", rows="9999").warning
    assert warning.value.startswith("rows must be")
    assert "seed must be" in warning.value
    assert warning.value.endswith("The usual values are used.")


def test_an_unknown_lab_in_the_address_is_a_sentence(runs: Path) -> None:
    folders.write_catalogue(runs)
    app = draw("training", lab="nonsense`<b>")
    (warning,) = app.warning
    assert warning.value.startswith("There is no lab `nonsense<b>` here.")
    assert button(app, "Plant the flag")
    (warning,) = draw("serving", lab="nonsense").warning
    assert "below" not in warning.value


def test_a_lab_of_another_stage_is_offered_there(runs: Path) -> None:
    folders.write_catalogue(runs)
    app = draw("training", lab="split_trap")
    assert not app.warning
    assert any("Open it there" in link.proto.label for link in app.get("page_link"))


def test_reset_takes_all_settings_back(asked: list[RunConfig]) -> None:
    app = planted(rows="400", epochs="20")
    button(app, "Reset").click().run()
    assert "rows" not in app.query_params
    assert next(e for e in app.slider if e.label.startswith("Rows")).value == 200


def test_stop_leaves_the_word_for_the_worker(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, "running")
    app = draw("training", run=run.id)
    button(app, "Pause").click().run()
    assert (run.path / "commands" / "pause").exists()


def test_resume_puts_a_killed_run_back_in_line(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, "killed")
    app = draw("training", run=run.id)
    assert "Everything up to step 80" in words(app)
    assert "the last line of the log" in app.code[0].value
    button(app, "Resume").click().run()
    assert run.status is RunStatus.SCHEDULED


def test_explanation_and_finding_are_kept_with_the_run(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, "finished")
    app = draw("training", run=run.id)
    app.radio[0].set_value("confidence").run()
    app.text_area[0].set_value("It turned at twelve.").run()
    button(app, "Save the finding").click().run()
    assert run.notes == {"explanation": "confidence", "finding": "It turned at twelve."}
    again = draw("training", run=run.id)
    assert again.text_area[0].value == "It turned at twelve."
    assert again.radio[0].value == "confidence"


def test_a_finished_run_is_judged_against_what_was_said(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, "finished")
    text = words(draw("training", run=run.id))
    assert "18 epochs too late. :green-badge[M]" in text
    assert "Validation loss rose by 0.31 nats. :green-badge[M]" in text
    assert "You said dropout; it was dropout" in text
    listed = next(line for line in text.splitlines() if "rise after turn" in line)
    assert listed.endswith("18 epochs too late. :green-badge[M]")
    assert "Fairly sure: right 1 of 2 times" in text


def test_run_again_keeps_the_settings_and_asks_anew(runs: Path) -> None:
    folders.write_catalogue(runs)
    run = folders.write_run(runs, "finished")
    app = draw("training", run=run.id)
    button(app, "Run again").click().run()
    assert "run" not in app.query_params
    assert button(app, "Train").disabled


@pytest.mark.parametrize(
    "said",
    [
        "{", "[1", "nonsense", "[]", "{}", '"a"', "true", "[" * 9000, "9" * 400, "5e300",
        '{"turn": "x"}', '{"turn": 1e999}', '{"turn": NaN}', '{"turn": -3}', '{"turn": 101}',
        '{"turn": 12, "brake": "hope"}', '{"turn": 12, "brake": ["dropout"]}', '{"turn": null}',
    ],
)  # fmt: skip
def test_a_prediction_spoilt_in_the_address_is_left_out(asked: list[RunConfig], said: str) -> None:
    app = draw("training", lab="four_brakes", said=said)
    (warning,) = app.warning
    assert warning.value == planted_words.SPOILT
    assert button(app, "Train").disabled
    assert all(word not in words(app) for word in ("Infinity", "NaN", "00000000"))
    app.slider[0].set_value(17)
    button(app, "Plant the flag").click().run()
    assert not app.warning
    assert not button(app, "Train").disabled


@pytest.mark.parametrize("said", ["17", '{"turn": 100, "brake": null}', '{"brake": "dropout"}'])
def test_a_prediction_in_the_address_may_be_in_part(asked: list[RunConfig], said: str) -> None:
    app = draw("training", lab="four_brakes", said=said)
    assert not app.warning
    button(app, "Train").click().run()
    assert asked[0].prediction == json.loads(said)


def test_home_shows_a_ticket_and_marks_it_synthetic(runs: Path) -> None:
    folders.write_data(runs)
    body = _figure(draw("home"))
    assert "synthetic" in body
    assert "&lt;b&gt;at night&lt;/b&gt;" in body


def test_home_shows_answers_only_where_a_model_gave_them(runs: Path) -> None:
    folders.write_data(runs)
    assert "Before training" not in _figure(draw("home"))
    run = folders.write_run(runs, "finished")
    answer: dict[str, Any] = {"ticket_id": "INC2", "text": "Its text.", "truth": "fibre_cut"}
    answer |= {
        "before": {"cause": "power_fault", "p": 0.3},
        "after": {"cause": "fibre_cut", "p": 0.9},
    }
    (run.path / "artifacts" / "answer.json").write_text(json.dumps(answer))
    body = _figure(draw("home"))
    assert "fibre cut, 0.90, right" in body
    assert "INC2" in body
    assert "Its text." in body


def _figure(app: AppTest) -> str:
    found = [each.proto for each in app.get("bidi_component")]
    return next(text for proto in found if "<figure" in (text := str(proto)) and "card" in text)


def test_the_learner_goes_along_where_a_link_leaves_the_address_behind(runs: Path) -> None:
    app = draw("training", learner="ada")
    del app.query_params["learner"]
    app.run()
    assert app.query_params["learner"] == "ada"


def test_another_learners_runs_are_not_mixed_in(runs: Path) -> None:
    folders.write_catalogue(runs)
    folders.write_run(runs, "finished", learner="ada")
    assert "Your last runs" not in words(draw("training", learner="bob"))
    assert "Your last runs" in words(draw("training", learner="ada"))


@pytest.mark.filterwarnings("ignore:SOCKS support")
def test_two_ticked_runs_are_laid_over_each_other(runs: Path) -> None:
    folders.write_catalogue(runs)
    for _ in range(2):
        folders.write_run(runs, "finished")
    app = draw("training", lab="four_brakes")
    assert not app.get("plotly_chart")
    for tick in app.checkbox:
        tick.check()
    app.run()
    assert not app.exception
    assert app.get("plotly_chart")
