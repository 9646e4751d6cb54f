"""Every way in which a file can be bad is one sentence, and nothing is changed."""

import io
import tracemalloc
from pathlib import Path

import pytest

from tests.owndata import sheets
from trainer.owndata import columns, lines, making, reading
from trainer.owndata.roles import Roles
from trainer.owndata.said import BadFile

ROLES = Roles(label="cause", columns=("load",))


def rows(*cells: str, times: int = 30) -> bytes:
    return "".join(f"{cell}\n" for cell in cells * times).encode()


def many(label: str, count: int) -> bytes:
    return b"load,cause\n" + b"".join(
        f"{row % 7},{label.format(row)}\n".encode() for row in range(count)
    )


UNREADABLE = {
    "empty": (b"", "is empty"),
    "only spaces": (b" \r\n \n", "is empty"),
    "names alone": (b"load,cause\n", "no row below"),
    "one column": (b"load\n1\n2\n", "Only one column"),
    "no name": (b"load,,cause\n1,2,3\n", "Column 2 has no name"),
    "twice the same name": (b"load,load\n1,2\n", "Two columns are named `load`"),
    "no line of names": (b"1,2\n3,4\n", "numbers only"),
    "a ragged row": (b"load,cause\n1,a\n1,a,b\n", "line 3 has 3 cells"),
    "a short row": (b"load,cause\n1,a\n1\n", "line 3 has 1 cell,"),
    "an open quote": (b'load,cause\n1,"a\n' + rows("2,b", times=40_000), "quote"),
    "a cell too long": (b"load,cause\n1," + b"x" * 8001 + b"\n", "`cause` on line 2"),
    "a line too long": (b"load,cause\n1," + b"x" * 1_000_001, "Line 2 has more than"),
    "too many columns": (b",".join(b"c%d" % n for n in range(201)) + b"\n", "201 columns"),
    "a workbook": (b"PK\x03\x04\x14\x00", "Excel workbook"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "a picture"),
    "a program": (b"\x7fELF\x02\x01", "a program"),
    "zeros": (b"load,cause\n1,\x00\x01\n", "on line 2"),
    "zeros far behind": (b"load,cause\n" + rows("1,a", times=20_000) + b"1,\0\n", "20,002"),
    "no known encoding": (b"load,cause\n1,\x81\n", "neither UTF-8 nor Windows-1252"),
    "a mark that lies": (b"\xef\xbb\xbfload,cause\n1,\xff\n", "not UTF-8 throughout"),
    "half of UTF-16": ("load,cause\n1,a\n".encode("utf-16")[:-1], "not UTF-16 throughout"),
}
UNUSABLE = {
    "one class": (many("same", 60), "the same label `same`"),
    "five thousand classes": (many("class {0}", 5000) * 1 + many("class {0}", 5000)[11:], "5,000"),
    "an id as label": (many("INC{0:05d}", 60), "names each row anew"),
    "no label": (many("", 60), "missing in every row"),
    "few rows": (many("{0:b}", 12), "12 rows"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_file_that_cannot_be_read_is_one_sentence(case: str) -> None:
    content, words = UNREADABLE[case]
    with pytest.raises(BadFile) as refused:
        reading.read(io.BytesIO(content))
    told = str(refused.value)
    assert words in told
    assert told.endswith("Nothing was changed.")
    assert "\n" not in told


@pytest.mark.parametrize("case", UNUSABLE)
def test_a_label_that_teaches_nothing_is_one_sentence(case: str, tmp_path: Path) -> None:
    content, words = UNUSABLE[case]
    with pytest.raises(BadFile, match=words) as refused:
        make(tmp_path, content, ROLES)
    assert str(refused.value).endswith("Nothing was changed.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        (Roles(label="fault", columns=("load",)), "no column named `fault`"),
        (Roles(label="cause", columns=("cause",)), "cannot be read as well"),
        (Roles(label="cause"), "Nothing is left to read"),
        (Roles(label="cause", text="site", columns=("load",)), "Choose one of the two"),
        (Roles(label="cause", columns=("load",), time="site"), "holds no dates"),
    ],
)
def test_roles_that_do_not_fit_are_one_sentence(roles: Roles, words: str, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=words):
        make(tmp_path, sheets.table(), roles)
    assert list(tmp_path.iterdir()) == []


def test_dates_in_three_formats_are_told_with_their_places(tmp_path: Path) -> None:
    dates = ["2024-05-06", "17.06.2024", "12/31/2024"] * 20
    content = "cause,load,opened\n" + "".join(
        f"{'ab'[n % 2]},{n % 5},{date}\n" for n, date in enumerate(dates)
    )
    with pytest.raises(BadFile) as refused:
        make(tmp_path, content.encode(), Roles(label="cause", columns=("load",), time="opened"))
    told = str(refused.value)
    assert "`2024-05-06` on line 2" in told
    assert "`17.06.2024` on line 3" in told
    assert "`12/31/2024` on line 4" in told


def test_ten_million_rows_are_refused_after_those_that_may_be() -> None:
    file = sheets.Endless()
    with pytest.raises(BadFile, match="more than 200,000 rows; reading ended on line 200,002"):
        reading.read(file)  # type: ignore[arg-type]
    assert file.furthest < 1.2 * 4 * reading.MOST_ROWS


def test_more_bytes_than_may_be_are_refused_and_cost_no_more_memory() -> None:
    file = sheets.Endless(b"x" * 5000 + b",b\n")
    tracemalloc.start()
    with pytest.raises(BadFile, match="larger than 20 MB"):
        reading.read(file)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert file.furthest <= lines.MOST_BYTES + 2 * lines.CHUNK
    assert peak < 2 * lines.MOST_BYTES


def make(runs: Path, content: bytes, roles: Roles) -> Path:
    sheet = reading.read(io.BytesIO(content))
    source = making.Source(learner="ada", file="mine.csv")
    return making.make(runs, sheet, columns.guess(sheet), roles, source)
