"""The fact tables: one row a thing, with source and date; what is uncertain is marked so."""

import csv
from datetime import date
from pathlib import Path

import pytest

from course.load import CONTENT, load

SOURCES = load().sources
TABLES = sorted((CONTENT / "facts").glob("*.csv"))
UNITS = (
    "_gb",
    "_tb_per_s",
    "_tflops",
    "_gb_per_s",
    "_w",
    "_kw",
    "_mw",
    "_gbit_per_s",
    "_tbit_per_s",
)
COUNTS = {"gpus", "ports", "parts", "compute_ports", "height_u", "systems_a_unit", "gpus_a_unit"}
COUNTS |= {"compute_slices", "memory_slices", "at_most"}
SLICES = {"A30": (4, 4)}  # of computing and of memory; all others have seven and eight


def rows(name: str | Path) -> list[dict[str, str]]:
    path = name if isinstance(name, Path) else CONTENT / "facts" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


each_table = pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)


@each_table
def test_a_table_has_a_key_of_its_own_in_every_row(path: Path) -> None:
    keys = [next(iter(row.values())) for row in rows(path)]
    assert len(keys) >= 4
    assert all(keys)
    assert len(set(keys)) == len(keys)


@each_table
def test_every_row_is_whole_and_names_its_source_and_date(path: Path) -> None:
    for row in rows(path):
        assert None not in row, row
        assert None not in row.values(), row
        assert row["source"] in SOURCES, row
        assert date.fromisoformat(row["as_of"]) <= SOURCES[row["source"]].read, row


@each_table
def test_columns_with_a_unit_hold_numbers_or_nothing(path: Path) -> None:
    for row in rows(path):
        for column, cell in row.items():
            if cell and (column.endswith(UNITS) or column in COUNTS):
                assert float(cell) >= 0, (column, cell)


@each_table
def test_what_is_marked_uncertain_is_a_filled_cell(path: Path) -> None:
    for row in rows(path):
        for column in row.get("uncertain", "").split():
            assert row[column], (row, column)


def test_one_direction_of_a_link_is_half_of_both_and_a_port_counts_in_bits() -> None:
    for row in rows("links"):
        assert float(row["both_ways_gb_per_s"]) == 2 * float(row["one_way_gb_per_s"])
        if row["port_gbit_per_s"]:
            assert float(row["port_gbit_per_s"]) == 8 * float(row["one_way_gb_per_s"])


def test_the_rate_of_a_switch_is_that_of_its_ports() -> None:
    for row in rows("network_products"):
        if row["one_way_tbit_per_s"]:
            ports, rate = float(row["ports"]), float(row["port_gbit_per_s"])
            assert float(row["one_way_tbit_per_s"]) == pytest.approx(ports * rate / 1000)


def test_the_most_instances_of_a_profile_fit_and_one_more_does_not() -> None:
    for row in rows("mig_profiles"):
        computing, memory = SLICES.get(row["gpu"], (7, 8))
        most = min(computing // int(row["compute_slices"]), memory // int(row["memory_slices"]))
        assert int(row["at_most"]) == most, row
        assert row["profile"] == f"{row['compute_slices']}g.{row['memory_gb']}gb"


@pytest.mark.parametrize(
    ("figure", "table", "key", "column"),
    [
        ("h200_memory", "gpus", "H200 SXM", "memory_gb"),
        ("b200_memory", "gpus", "B200 SXM", "memory_gb"),
        ("gb200_memory", "gpus", "GB200, each GPU", "memory_gb"),
        ("h200_power", "gpus", "H200 SXM", "max_power_w"),
        ("b200_power", "gpus", "B200 SXM", "max_power_w"),
        ("nvlink_rate", "links", "NVLink 4", "both_ways_gb_per_s"),
        ("nvlink_b200", "links", "NVLink 5", "both_ways_gb_per_s"),
        ("ib_xdr", "links", "InfiniBand XDR", "port_gbit_per_s"),
        ("superpod_b300_unit", "pods", "SuperPOD B300", "systems_a_unit"),
        ("superpod_gb200_gpus", "pods", "SuperPOD GB200", "gpus_a_unit"),
        ("rack_air", "cooling", "air", "rack_to_kw"),
        ("gb300_rack", "power", "GB300 rack", "max_power_kw"),
    ],
)
def test_a_figure_of_the_texts_is_the_same_in_its_table(
    figure: str, table: str, key: str, column: str
) -> None:
    row = next(row for row in rows(table) if row["name"] == key)
    assert float(row[column]) == load().figures[figure].value
