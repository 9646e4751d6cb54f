"""The numbers of NVIDIA's driver messages as a table: what each means and what is to be done."""

import csv
import re
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from course.document import ContentError
from course.record import Id, Record, Text

Bucket = Literal[
    "restart_app",
    "reset_gpu",
    "reboot",
    "restart_vm",
    "restart_fabric_manager",
    "check_app",
    "check_mechanics",
    "check_link",
    "update_software",
    "software",
    "workflow",
    "support",
    "ignore",
    "information",
]
Operator = Literal["restart", "reset", "drain", "ticket", "ignore", "look_further"]
LINE = re.compile(r"NVRM: Xid \(PCI:[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\): (?P<code>[0-9]+), \S.*")


class XidCode(Record):
    """One number: `now` and `then` are the catalogue's own actions, `operator` is the course's.

    `as_of` is the day of the catalogue that the row follows.
    """

    code: Annotated[int, Field(ge=1)]
    name: Text
    meaning: Text
    now: Bucket
    then: Bucket
    operator: Operator
    source: Id
    as_of: date


def read_codes(path: Path, root: Path) -> dict[int, XidCode]:
    """The table by number.

    Raises:
        ContentError: the file is missing, a row breaks its type, or a number stands twice.
    """
    file = f"{root.name}/{path.relative_to(root).as_posix()}"
    if not path.is_file():
        raise ContentError(file, 1, "is missing")
    found: dict[int, XidCode] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        for row in reader:
            code = _row(row, file, reader.line_num)
            if code.code in found:
                raise ContentError(file, reader.line_num, f"{code.code}: stands twice")
            found[code.code] = code
    return found


def _row(row: dict[str, str], file: str, line: int) -> XidCode:
    try:
        return XidCode.model_validate(row, strict=False)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(key) for key in first["loc"])
        raise ContentError(file, line, f"{where}: {first['msg']}") from error


def numbers(log: tuple[str, ...]) -> tuple[int, ...]:
    """The Xid numbers in these lines of a kernel log, each once, in their order."""
    matches = [LINE.fullmatch(line) for line in log]
    return tuple(dict.fromkeys(int(match["code"]) for match in matches if match))
