"""A gate of the question bank: what it measures, what it allows, and how its fault is shown."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from course.document import ContentError
from course.material import Material
from course.question import Question

# Shares of the whole bank say little while it is small.
FIRST_SHARES = 100


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What one gate measured, what it allows, and the questions that break it."""

    name: str
    figure: str
    allowed: str
    faults: tuple[ContentError, ...] = ()
    waits: bool = False

    @property
    def result(self) -> str:
        """One word: holds, broken, or waits for a larger bank."""
        return "broken" if self.faults else "waits" if self.waits else "holds"


def table(found: list[Gate]) -> str:
    """The gates as text: a line a gate, then a line a fault."""
    head = ("gate", "figure", "allowed", "result")
    rows = [head, *((each.name, each.figure, each.allowed, each.result) for each in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([*lines, *(str(fault) for each in found for fault in each.faults)])


def each(material: Material, name: str, judge: Callable[[Question], Iterator[str]]) -> Gate:
    """A gate that no question may break."""
    bank = material.course.bank.questions.values()
    found = tuple(fault(material, q.id, says) for q in bank for says in judge(q))
    return Gate(name=name, figure=str(len(found)), allowed="0", faults=found)


def capped(material: Material, name: str, hit: list[Question], most: int) -> Gate:
    """A gate that only so many of a hundred single questions may break."""
    share = pct(len(hit), len(singles(material)))
    said = ", ".join(question.id for question in hit)
    return whole(material, name, f"{share:.1f} %", f"<= {most} %", share <= most, said)


def whole(
    material: Material, name: str, figure: str, allowed: str, holds: bool, said: str = ""
) -> Gate:
    """A gate on the bank as a whole, which waits while there are few questions."""
    is_large = len(material.course.bank.questions) >= FIRST_SHARES
    says = f"{name}: {figure}, allowed {allowed}" + (f" ({said})" if said else "")
    faults = (at_top(material, says),) if is_large and not holds else ()
    return Gate(name=name, figure=figure, allowed=allowed, faults=faults, waits=not is_large)


def singles(material: Material) -> list[Question]:
    """The questions with one right option."""
    return [q for q in material.course.bank.questions.values() if q.kind == "single"]


def pct(part: int, total: int) -> float:
    """A share in per cent; of nothing it is none."""
    return 100 * part / max(total, 1)


def fault(material: Material, question_id: str, says: str) -> ContentError:
    """An error that points at a question in its file."""
    document = material.files.questions[question_id.split("-")[0]]
    at = next(i for i, row in enumerate(document.data) if row["id"] == question_id)
    return document.fault(f"{question_id}: {says}", at)


def at_top(material: Material, says: str) -> ContentError:
    """An error of the whole bank, shown at its first file."""
    return ContentError(next(iter(material.files.questions.values())).file, 1, says)
