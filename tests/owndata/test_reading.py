"""Files as Excel and others write them are read for what they are, and it is said how."""

import io

import pytest

from trainer.owndata import columns, encoding, reading
from trainer.owndata.columns import Column
from trainer.owndata.reading import Sheet
from trainer.owndata.roles import propose


def read(text: str, code: str = "utf-8") -> Sheet:
    return reading.read(io.BytesIO(text.encode(code)))


def column(cells: list[str], name: str = "x") -> Column:
    sheet = read(f"{name};other\n" + "".join(f'"{cell}";1\n' for cell in cells))
    return columns.guess(sheet)[0]


@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_one_table_is_read_alike_however_it_is_written(code: str, separator: str, end: str) -> None:
    lines = ["Gerät,Störung", '"Zoë, Süd",a', "", "Ost,b"]
    if separator != ",":
        lines = [
            line.replace(",", separator) if '"' not in line else f'"Zoë, Süd"{separator}a'
            for line in lines
        ]
    sheet = read(end.join(lines) + end, code)
    assert sheet.names == ("Gerät", "Störung")
    assert sheet["Gerät"] == ["Zoë, Süd", "Ost"]
    assert sheet.place(1) == "line 4"


def test_it_says_how_the_file_was_read() -> None:
    assert "semicolons" in read("a;b\n1;2\n").notes[0]
    assert "byte order mark" in read("a,b\n1,2\n", "utf-8-sig").notes[0]
    assert "Windows-1252" in read("a,b\nü,2\n", "cp1252").notes[0]
    excel = read("sep=;\na;b\n1,5;2\n")
    assert (excel.names, excel["a"]) == (("a", "b"), ["1,5"])


def test_a_text_over_several_lines_stays_one_cell() -> None:
    sheet = read('note,b\n"one\ntwo, three",x\nfour,y\n')
    assert sheet["note"] == ["one\ntwo, three", "four"]
    assert sheet.place(1) == "line 4"


def test_decimal_commas_are_numbers_and_said() -> None:
    found = column(["1,5", "-2,25", "1.234,5", "7", "n/a"])
    assert (found.kind, found.has_commas, found.missing) == ("number", True, 1)
    assert "decimal commas" in found.notes[0]
    values = [columns.number(cell, has_commas=True) for cell in ("1,5", "1.234,5", "7", "n/a")]
    assert values == [1.5, 1234.5, 7.0, None]


def test_commas_that_part_thousands_are_no_decimals_and_said() -> None:
    found = column(["1,234", "12", "1,234,567.5"])
    assert (found.kind, found.has_commas) == ("number", False)
    assert "part thousands" in found.notes[0]
    assert columns.number("1,234,567.5") == 1234567.5


def test_formulas_stay_harmless_text_and_are_said() -> None:
    evil = ["=cmd|' /C calc'!A0", "@SUM(A1)", "+1+2", "-x"] * 2
    found = column(evil)
    assert found.kind == "category"
    assert "8 cells" in found.notes[0]
    assert found.examples[0] == evil[0]
    assert column(["-1.5", "+2", "3"]).kind == "number"


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["2024-05-06", "2024-12-31T10:30:00Z"], "date_ymd"),
        (["06.05.2024", "31.12.2024 10:30"], "date_dmy"),
        (["12/31/2024", "05/06/2024"], "date_mdy"),
        (["05/06/2024", "07/08/2024"], "date_dmy"),
        ([str(number) for number in range(40)], "id"),
        ([f"INC{number}" for number in range(40)], "id"),
        (["0.5", "7", "1e3"] * 9, "number"),
        (["red", "green", ""] * 9, "category"),
        ([f"the link number {number} went down" for number in range(30)], "text"),
        (["", "NA", "null"], "empty"),
    ],
)
def test_what_a_column_holds_is_guessed(cells: list[str], kind: str) -> None:
    assert column(cells).kind == kind


def test_dates_that_fit_two_ways_are_said() -> None:
    assert "day first is taken" in column(["05/06/2024", "07/08/2024"]).notes[0]


def test_numbers_with_one_slip_are_still_numbers() -> None:
    found = column([*map(str, [1.5] * 150), "broken"])
    assert found.kind == "number"
    assert "`broken`" in found.notes[0]


def test_the_proposed_label_is_the_column_that_is_called_so() -> None:
    sheet = read("cause,size,vendor\n" + "".join(f"{n % 3},{n * 1.7},{n % 2}\n" for n in range(60)))
    roles = propose(columns.guess(sheet))
    assert (roles.label, roles.text, roles.columns) == ("cause", None, ("size", "vendor"))


def test_figures_come_from_the_rows_they_were_fitted_on() -> None:
    number = encoding.fit("x", ["1", "3", ""], is_number=True)
    assert (number.mean, number.deviation) == (2.0, 1.0)
    assert number.encode(["3", "", "1e9"]).tolist() == [[1.0], [0.0], [10.0]]
    kind = encoding.fit("c", ["b", "b", "a", ""], is_number=False)
    assert kind.values == ("b", "a")
    assert kind.encode(["a", "new", ""]).tolist() == [[0, 1], [0, 0], [0, 0]]
    assert encoding.Field.of(kind.as_dict()) == kind


def test_rare_values_share_no_column_beyond_the_most() -> None:
    cells = [str(number) for number in range(90) for _ in range(1 + (number < 10))]
    found = encoding.fit("c", cells, is_number=False)
    assert len(found.values) == encoding.MOST_VALUES
    assert set(map(str, range(10))) <= set(found.values)


def test_a_row_in_words_is_read_back() -> None:
    said = encoding.as_pairs(["load", "site"], ["3.5", "a; b=c"])
    assert encoding.read_pairs(said, ["load", "site"]) == {"load": "3.5", "site": "a, b=c"}
    odd = encoding.as_pairs(["a=b; c"], ["1"])
    assert encoding.read_pairs(odd, ["a=b; c"]) == {"a=b; c": "1"}
    with pytest.raises(ValueError, match="reads columns"):
        encoding.read_pairs("no pair", ["load"])
