"""A learner brings a file: it is looked through before anything runs, used, and deleted again."""

import tomllib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.owndata import sheets
from tests.pages.test_pages import ROOT, button, draw, words
from trainer.owndata import lines, making
from trainer.runs import RunConfig
from ui import own_held


@pytest.fixture(autouse=True)
def _no_upload_is_left_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_held, "_held", type(own_held._held)())


def upload(app: AppTest, content: bytes, name: str = "mine.csv") -> AppTest:
    app.file_uploader[0].upload(name, content, "text/csv").run()
    assert not app.exception, app.exception[0].value
    return app


def brought(runs: Path, learner: str = "local") -> list[str]:
    return [card["id"] for card in making.owned(runs, learner)]


def test_an_upload_is_looked_through_and_then_used(asked: list[RunConfig], runs: Path) -> None:
    app = upload(draw("training", lab="four_brakes", said="none"), sheets.text())
    told = words(app)
    assert "240" in told
    assert "3 classes" in told
    assert brought(runs) == []
    group = next(each for each in app.selectbox if each.label.startswith("Groups"))
    group.set_value("site").run()
    button(app, "Use these").click().run()
    (data,) = brought(runs)
    assert app.query_params["data"] == data
    assert "your data `mine.csv`, split by group" in words(app)
    assert "No ceiling is drawn" in words(app)
    button(app, "Train").click().run()
    assert asked[0].data == f"{data}.device"


def test_the_type_of_a_column_can_be_corrected(asked: list[RunConfig]) -> None:
    app = upload(draw("data", lab="split_trap"), sheets.table())
    app.selectbox(key="own-column").set_value("load").run()
    kind = next(each for each in app.selectbox if each.label == "It holds")
    assert kind.value == "number"
    kind.set_value("category").run()
    held = own_held.get("local")
    assert held is not None
    assert {column.name: column.kind for column in held.kinds}["load"] == "category"


def test_a_bad_file_is_a_sentence_and_nothing_changes(asked: list[RunConfig], runs: Path) -> None:
    app = upload(draw("data", lab="split_trap"), b"a,b\n1,2,3\n")
    assert "mine.csv" in app.error[0].value
    assert "Nothing was changed." in app.error[0].value
    assert own_held.get("local") is None
    assert not (runs / "data").exists()


def test_a_label_that_teaches_nothing_cannot_be_used(asked: list[RunConfig]) -> None:
    rows = "".join(f"{row % 7},same\n" for row in range(60)).encode()
    app = upload(draw("data", lab="split_trap"), b"load,cause\n" + rows)
    label = next(each for each in app.selectbox if each.label.startswith("The label"))
    label.set_value("cause").run()
    assert "the same label" in app.error[0].value
    assert button(app, "Use these").disabled


def test_a_learner_sees_and_deletes_their_own_alone(asked: list[RunConfig], runs: Path) -> None:
    app = upload(draw("data", lab="split_trap", learner="ada"), sheets.table())
    button(app, "Use these").click().run()
    (data,) = brought(runs, "ada")
    other = draw("data", lab="split_trap", learner="bob", data=data)
    assert "not one of yours" in words(other)
    assert not [each for each in other.button if each.label == "Delete for good"]
    button(app, "Delete for good").click().run()
    assert brought(runs, "ada") == []
    assert "data" not in app.query_params


def test_the_split_trap_takes_the_data_itself_and_draws_no_ceiling(
    asked: list[RunConfig], runs: Path
) -> None:
    app = upload(draw("data", lab="split_trap", said="none"), sheets.table())
    button(app, "Use these").click().run()
    assert "No ceiling is drawn" in words(app)
    assert "no split by group" in words(app)
    button(app, "Train").click().run()
    assert asked[0].data == brought(runs)[0]


def test_the_server_takes_no_larger_file_than_is_read() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["maxUploadSize"] << 20 == lines.MOST_BYTES
