"""Cuts marked regions out of a lab's source and puts them where a lesson asks for them."""

import re
import textwrap
from collections.abc import Callable

ASK = re.compile(
    r"^\{\{ region (?P<file>(?:labs|trainer)/[a-z0-9_]+\.py) (?P<name>[a-z_]+) \}\}$", re.M
)
ANY_ASK = re.compile(r"\{\{.*?\}\}")
_START = re.compile(r"\s*# region (?P<name>[a-z_]+)\s*$")
_END = re.compile(r"\s*# endregion\s*$")


class RegionError(ValueError):
    """A region that is asked for and is not there, or is marked wrongly."""


def regions(source: str, file: str = "the file") -> dict[str, str]:
    """The code of each region of a source text, by name, moved to the left margin.

    Raises:
        RegionError: a region has no end, an end no start, or a name stands twice.
    """
    found: dict[str, str] = {}
    name, lines = "", list[str]()
    for number, line in enumerate(source.splitlines(), 1):
        start, at = _START.match(line), f"{file}:{number}"
        if start and (name or start["name"] in found):
            raise RegionError(
                f"{at}: region {start['name']} starts inside another or a second time"
            )
        if _END.match(line):
            if not name:
                raise RegionError(f"{at}: endregion without a region")
            found[name] = textwrap.dedent("\n".join(lines)).strip("\n") + "\n"
            name = ""
        elif start:
            name, lines = start["name"], []
        elif name:
            lines.append(line)
    if name:
        raise RegionError(f"{file}: region {name} has no endregion")
    return found


def cut(source: str, name: str, file: str = "the file") -> str:
    """The code of one region.

    Raises:
        RegionError: the source has no such region; the message names those it has.
    """
    found = regions(source, file)
    if name not in found:
        known = ", ".join(found) or "none"
        raise RegionError(f"{file} has no region {name}; it has {known}")
    return found[name]


def asked(body: str) -> list[tuple[str, str]]:
    """File and region name of each place where a lesson asks for code."""
    return [(match["file"], match["name"]) for match in ASK.finditer(body)]


def fill(body: str, source_of: Callable[[str], str]) -> str:
    """A lesson with its code in place; `source_of` gives the text of a lab's file.

    Raises:
        RegionError: a file lacks a region that the lesson asks for.
    """

    def code(match: re.Match[str]) -> str:
        cutting = cut(source_of(match["file"]), match["name"], match["file"])
        return f"```python\n{cutting}```"

    return ASK.sub(code, body)
