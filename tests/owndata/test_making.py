"""What is found in a sheet, what data set it becomes, whose it is, and how it goes."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from tests.owndata import sheets
from trainer import events
from trainer import runs as folder
from trainer.errors import BadSetting, BadState
from trainer.events import Event
from trainer.owndata import checks, columns, desk, lacks, making, reading, standing
from trainer.owndata.checks import Look
from trainer.owndata.roles import Roles
from trainer.runs import RunConfig

TEXT = Roles(label="cause", text="note", group="site", time="opened")
TABLE = Roles(label="cause", columns=("load", "vendor"), group="site")

_NEITHER = {"augmentation", "device", "month"}


def look(content: bytes, roles: Roles) -> Look:
    sheet = reading.read(io.BytesIO(content))
    return checks.look(sheet, columns.guess(sheet), roles)


def make(runs: Path, content: bytes, roles: Roles, learner: str = "ada") -> Path:
    sheet = reading.read(io.BytesIO(content))
    source = making.Source(learner=learner, file="mine.csv")
    return making.make(runs, sheet, columns.guess(sheet), roles, source)


def rows(*lines: str) -> bytes:
    return ("load,note,cause\n" + "".join(f"{line}\n" for line in lines)).encode()


def test_classes_gaps_copies_and_disputes_are_counted() -> None:
    lines = [f"{n},x,{'ab'[n % 2]}" for n in range(60)]
    lines += ["0,x,a", "0,x,b", "99,x,", ",x,a"]
    found = look(rows(*lines), Roles(label="cause", columns=("load",)))
    assert found.classes == {"a": 32, "b": 31}
    assert (found.rows, found.unlabelled) == (63, 1)
    assert found.missing == {"load": 1}
    assert (found.copies, found.disputed) == (1, 1)
    told = " ".join(checks.sentences(found))
    assert "no label and are left out" in told


@pytest.mark.parametrize("column", ["load", "vendor"])
def test_a_column_that_gives_the_label_away_is_named(column: str) -> None:
    lines = ["load,vendor,cause"]
    for n in range(300):
        cause = n % 3
        load = cause * 100 + n % 7 if column == "load" else n % 17
        vendor = f"team {cause}" if column == "vendor" else "xyz"[n % 2]
        lines.append(f"{load}.5,{vendor},c{cause}")
    content = "\n".join(lines).encode()
    found = look(content, Roles(label="cause", columns=("load", "vendor")))
    assert [leak.column for leak in found.leaks] == [column]
    assert f"`{column}` alone gives the label away" in " ".join(checks.sentences(found))


def test_a_text_that_says_the_label_is_a_leak_and_honest_rows_are_none() -> None:
    lines = [f"1,the cause was class{n % 3} again,class{n % 3}" for n in range(60)]
    assert look(rows(*lines), Roles(label="cause", text="note")).leaks[0].column == "note"
    assert look(sheets.table(), TABLE).leaks == ()
    assert look(sheets.text(), TEXT).leaks == ()


def test_the_same_file_gives_the_same_data_set_and_each_learner_their_own(tmp_path: Path) -> None:
    first = make(tmp_path, sheets.text(), TEXT)
    assert make(tmp_path, sheets.text(), TEXT) == first
    assert make(tmp_path, sheets.text(), TEXT, learner="bob") != first
    assert make(tmp_path, sheets.text(seed=4), TEXT) != first
    card = json.loads((first / "card.json").read_bytes())
    assert (card["origin"], card["owner"], card["ceilings"]) == ("own", "ada", [])
    assert not [path for path in first.iterdir() if path.stat().st_mode & 0o222]
    assert not list((tmp_path / "data").glob(".making-*"))


def test_each_split_keeps_its_word(tmp_path: Path) -> None:
    own = desk.load(make(tmp_path, sheets.text(), TEXT))
    for by in ("row", "device", "month"):
        cut = own.split(by, seed=1)
        parts = [set(part.tolist()) for part in (cut.train, cut.validation, cut.unseen)]
        assert sum(map(len, parts)) == len(own) == len(set.union(*parts))
        assert all(parts)
        again = own.split(by, seed=1)
        assert np.array_equal(cut.train, again.train)
    groups = own.split("device", seed=1)
    sides = [set(own.device[part]) for part in (groups.train, groups.validation, groups.unseen)]
    assert not sides[0] & sides[1] | sides[1] & sides[2] | sides[0] & sides[2]
    assert sides[2] == set(own.device[own.split("row", seed=1).unseen])
    late = own.split("month", seed=1)
    assert own.month[late.train].max() < own.month[late.validation].min()
    assert own.month[late.validation].max() < own.month[late.unseen].min()


def test_a_split_that_would_leave_a_part_empty_is_none(tmp_path: Path) -> None:
    lines = ["cause,load,site,opened"]
    for n in range(100):
        site = n % 20 if n < 40 else 0
        lines.append(f"{'ab'[n % 2]},{n % 7},S{site},2024-01-{1 + (n > 97):02d}")
    content = "\n".join(lines).encode()
    roles = Roles(label="cause", columns=("load",), group="site", time="opened")
    own = desk.load(make(tmp_path, content, roles))
    assert own.card["splits"] == ["row"]
    assert set(lacks.of(own.card)) == {"ceiling", "dials", "cut_hedges", *_NEITHER}
    assert all(map(len, (own.split("row", 1).train, own.split("row", 1).unseen)))


def test_formulas_are_kept_as_they_are_and_nothing_else_is(tmp_path: Path) -> None:
    lines = [f'{n},"=HYPERLINK(""x"")",{"ab"[n % 2]}' for n in range(60)]
    made = make(tmp_path, rows(*lines), Roles(label="cause", columns=("note", "load")))
    assert desk.load(made).cells[0] == ['=HYPERLINK("x")', "0"]


def test_only_the_owner_deletes_and_no_run_loses_its_rows_under_way(tmp_path: Path) -> None:
    data = make(tmp_path, sheets.table(), TABLE).name
    with pytest.raises(BadState, match="has no data set"):
        standing.delete(tmp_path, data, "bob")
    run = folder.create(tmp_path, RunConfig(lab="four_brakes", data=f"{data}.row", learner="ada"))
    with pytest.raises(BadState, match="still learns from this"):
        standing.delete(tmp_path, data, "ada")
    assert [card["id"] for card in making.owned(tmp_path, "ada")] == [data]
    ended = Event(kind="ended", step=0, seconds=0.0, t=0.0, values={"status": "KILLED"})
    events.append(run.path / events.FILE, ended.line())
    assert standing.delete(tmp_path, data, "ada") == [run]
    assert making.owned(tmp_path, "ada") == []


def test_what_is_no_data_set_of_a_learner_cannot_be_deleted(tmp_path: Path) -> None:
    (tmp_path / "data" / "0123456789abcdef").mkdir(parents=True)
    for name in ("0123456789abcdef", "../data", ""):
        with pytest.raises(BadState):
            making.delete(tmp_path, name, "ada")


def test_corrections_are_read_and_wrong_ones_refused() -> None:
    assert columns.corrections(["load=category"]) == {"load": "category"}
    with pytest.raises(BadSetting, match="no COL=KIND"):
        columns.corrections(["load=integer"])
