"""What a lesson asks for in two braces besides code: a figure with its origin, the way to a lab."""

import re

from course.model import Course, Figure

FIGURE = re.compile(r"\{\{ figure (?P<id>[a-z0-9_]+) \}\}")
LAB = re.compile(r"^\{\{ lab (?P<id>[a-z0-9_]+) \}\}$", re.M)


def figures_in(course: Course, body: str) -> tuple[Figure, ...]:
    """The figures that a text shows, each once, in the order of their first place."""
    ids = dict.fromkeys(match["id"] for match in FIGURE.finditer(body))
    return tuple(course.figures[each] for each in ids)


def asked(body: str) -> list[tuple[str, str, str]]:
    """For each figure and lab that a text asks for: the whole ask, its kind and its id."""
    kinds = (("figures", FIGURE), ("labs", LAB))
    return [(m[0], kind, m["id"]) for kind, pattern in kinds for m in pattern.finditer(body)]
