"""`python -m labs data`: a file is brought, listed and deleted from a terminal."""

import json
from pathlib import Path

import pytest

from labs import commands
from tests.owndata import sheets

BRING = ("--label", "cause", "--columns", "load, vendor", "--learner", "ada")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STAGECOACH_RUNS", str(tmp_path / "runs"))
    place = tmp_path / "mine.csv"
    place.write_bytes(sheets.table())
    return place


def test_a_file_is_brought_listed_and_deleted(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert commands.main(["data", "add", str(file), *BRING, "--group", "site", "--json"]) == 0
    out, told = capsys.readouterr()
    data = json.loads(out)["data"]
    assert "240 rows in 3 classes" in told
    assert commands.main(["data", "list", "--learner", "ada", "--json"]) == 0
    (card,) = json.loads(capsys.readouterr().out)
    assert (card["id"], card["title"]) == (data, "mine.csv")
    assert commands.main(["data", "list"]) == 0
    assert "No data of your own" in capsys.readouterr().out
    assert commands.main(["run", "four_brakes", "--data", data]) == 2
    assert "another learner" in capsys.readouterr().err
    assert commands.main(["data", "delete", data]) == 2
    assert commands.main(["data", "delete", data, "--learner", "ada"]) == 0
    assert "No run stands on it" in capsys.readouterr().out


def test_a_bad_file_is_one_line_and_exit_code_2(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(b"PK\x03\x04")
    assert commands.main(["data", "add", str(file), *BRING]) == 2
    assert "Excel workbook" in capsys.readouterr().err
    assert not (file.parent / "runs" / "data").exists()
    assert commands.main(["data", "add", str(file.parent / "none.csv"), *BRING]) == 1


def test_a_guess_is_corrected(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*BRING, "--kind", "load=category", "--json"]
    assert commands.main(["data", "add", str(file), *words]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    card = json.loads((file.parent / "runs" / "data" / data / "card.json").read_bytes())
    assert [column["kind"] for column in card["columns"]] == ["category", "category"]
