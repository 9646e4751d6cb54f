"""What the checks look at: the typed course, its files with line numbers, and the labs' code."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from course.document import Document
from course.load import CONTENT, Files
from course.model import WAY, Course


@dataclass(frozen=True)
class Material:
    """One course and everything a rule may ask about it."""

    course: Course
    files: Files
    labs: Path
    root: Path = CONTENT

    @cached_property
    def texts(self) -> dict[str, Document]:
        """The Markdown files, stages first."""
        lessons = self.files.stages | self.files.labs | {WAY: self.files.way}
        return lessons | self.files.guides

    @cached_property
    def tables(self) -> dict[str, tuple[str, ...]]:
        """The columns of each fact table."""
        return {path.stem: _columns(path) for path in (self.root / "facts").glob("*.csv")}

    def sources(self) -> Iterator[tuple[str, str | None]]:
        """Each lab lesson's id with the text of its Python file; None where there is none."""
        for lab_id in self.course.labs:
            path = self.labs / f"{lab_id}.py"
            yield lab_id, path.read_text(encoding="utf-8") if path.is_file() else None


def _columns(path: Path) -> tuple[str, ...]:
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(next(csv.reader(file), ()))
