"""Code in lessons comes out of the labs' own files."""

import pytest

from course import regions
from course.regions import RegionError

SOURCE = """\
def train(run):
    # region loop
    for step in range(3):

        run.log(step)
    # endregion
    if run:
        # region end
        run.find("x", 1.0, "One.")
        # endregion
"""


def test_a_region_is_cut_out_and_moved_to_the_left_margin() -> None:
    assert regions.cut(SOURCE, "loop") == "for step in range(3):\n\n    run.log(step)\n"
    assert regions.cut(SOURCE, "end") == 'run.find("x", 1.0, "One.")\n'


def test_a_lesson_shows_the_code_of_the_source_it_is_given() -> None:
    body = "Before.\n\n{{ region labs/toy.py end }}\n\nAfter.\n"
    asked: list[str] = []

    def source_of(file: str) -> str:
        asked.append(file)
        return SOURCE

    filled = regions.fill(body, source_of)
    assert filled == 'Before.\n\n```python\nrun.find("x", 1.0, "One.")\n```\n\nAfter.\n'
    assert asked == ["labs/toy.py"]
    assert regions.asked(body) == [("labs/toy.py", "end")]


def test_a_backslash_in_code_survives() -> None:
    source = '# region a\nprint("\\n\\1")\n# endregion\n'
    assert 'print("\\n\\1")' in regions.fill("{{ region labs/x.py a }}", lambda _: source)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("# region a\nx = 1\n", "a has no endregion"),
        ("x = 1\n# endregion\n", ":2: endregion without a region"),
        ("# region a\n# region b\n# endregion\n", ":2: region b starts inside another"),
        ("# region a\n# endregion\n# region a\n# endregion\n", ":3: region a starts"),
        ("# region b\n# endregion\n", "no region a; it has b"),
    ],
)
def test_a_region_marked_wrongly_is_refused_with_its_place(source: str, says: str) -> None:
    with pytest.raises(RegionError, match=says):
        regions.cut(source, "a", "labs/toy.py")
