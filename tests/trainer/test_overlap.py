"""What hid behind what: worked out from given times."""

from typing import Any

import pytest

from trainer import overlap, speed_up


def note(buckets: list[tuple[float, float]], end: float = 10.0) -> dict[str, Any]:
    """A rank that goes forward for 2 s, backward until `end` - 1, and then updates for 1 s."""
    spans = {"forward": (0.0, 2.0), "backward": (2.0, end - 1), "update": (end - 1, end)}
    return {
        "spans": spans,
        "buckets": [{"bytes": 4, "begun": begun, "ended": ended} for begun, ended in buckets],
    }


@pytest.mark.parametrize(
    ("buckets", "way", "hidden"),
    [
        ([], 0.0, 0.0),
        ([(5.0, 8.0)], 3.0, 0.0),  # the only bucket sets out when all is computed
        ([(3.0, 4.0), (6.0, 9.0)], 4.0, 1.0),
        ([(3.0, 8.0), (6.0, 9.0)], 6.0, 3.0),  # two under way at once count once
        ([(3.0, 4.0), (3.5, 5.0), (6.0, 8.0)], 4.0, 2.0),
    ],
)
def test_a_way_is_hidden_while_gradients_are_still_computed(
    buckets: list[tuple[float, float]], way: float, hidden: float
) -> None:
    assert overlap.travelled_s(note(buckets)) == (way, hidden)


def test_a_step_lasts_from_the_first_start_to_the_last_end() -> None:
    assert overlap.step_ms([note([]), note([], end=12.0)]) == 12_000.0


def test_a_picture_cuts_backward_where_the_last_gradient_was_computed() -> None:
    drawn = overlap.picture([note([(3.0, 4.0), (6.0, 9.0)])], step=7)
    assert drawn["step"] == 7
    assert drawn["hidden_share"] == 0.25
    computing, sending = drawn["lanes"]
    assert computing["bars"] == [
        ["forward", 0.0, 2000.0],
        ["backward", 2000.0, 6000.0],
        ["wait", 6000.0, 9000.0],
        ["update", 9000.0, 10_000.0],
    ]
    assert sending["bars"] == [["all-reduce", 3000.0, 4000.0], ["all-reduce", 6000.0, 9000.0]]


@pytest.mark.parametrize(
    ("times", "share", "word"),
    [
        ([[10.0, 5.0]], 1, "faster"),
        ([[10.0, 8.0]], 1, "same"),
        ([[10.0, 16.0]], 1, "slower"),
        ([[10.0, 16.0]], 4, "faster"),  # it read four times as many tickets
    ],
)
def test_a_speed_up_counts_tickets_not_steps(
    times: list[list[float]], share: int, word: str
) -> None:
    assert speed_up.faster(times, share) == word


def test_the_table_names_both_sides_and_gives_every_figure_its_origin() -> None:
    shown = speed_up.table([[10.0, 20.0], [12.0, 24.0], [14.0, 28.0]], 4, 1)
    assert shown["columns"] == ["", "one process", "4 workers"]
    figures = {row[0]: row[1:] for row in shown["rows"]}
    assert figures["a step, median"][1] == {"value": 24.0, "unit": "ms", "origin": "M"}
    assert figures["tickets read in the same time"] == [
        None,
        {"value": 0.5, "unit": "times", "origin": "M"},
    ]
    assert all(cell is None or cell["origin"] == "M" for row in figures.values() for cell in row)
