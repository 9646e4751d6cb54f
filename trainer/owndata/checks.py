"""Looks a sheet through before anything runs: classes, gaps, copies, leaks."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from trainer.owndata import columns, refusals
from trainer.owndata.columns import Column
from trainer.owndata.desk import FEWEST_GROUPS
from trainer.owndata.reading import Sheet
from trainer.owndata.roles import Roles
from trainer.owndata.said import quoted

FEW_IN_CLASS = 5
LEAK = 0.95  # of held-out rows that one column alone gets right
_NO_LEAK_ABOVE = 0.9  # where the commonest class is as common as that, a high share proves nothing
_BINS = 20
_LEAK_ROWS = 5000  # are looked through for a leak, evenly spread: more would say the same
_SHOWN = 12  # classes in a sentence
_LETTERS = 2  # so short a label stands in any text by chance


@dataclass(frozen=True, kw_only=True)
class Leak:
    """A column that alone gives the label away, in so large a share of held-out rows."""

    column: str
    share: float


@dataclass(frozen=True, kw_only=True)
class Look:
    """What was found.

    Attributes:
        classes: rows of each class, the commonest first.
        unlabelled: rows without a label; they are left out.
        missing: cells that say nothing, by column that is read.
        copies: rows that are equal to an earlier one in all that is read, and in the label.
        disputed: rows that are equal to an earlier one in all that is read, but not in the label.
    """

    rows: int
    classes: dict[str, int]
    unlabelled: int
    missing: dict[str, int]
    copies: int
    disputed: int
    leaks: tuple[Leak, ...]
    notes: tuple[str, ...] = field(default=())


def look(sheet: Sheet, kinds: Sequence[Column], roles: Roles) -> Look:
    """Return what stands in the rows that would be used.

    Raises:
        BadFile: with one sentence, when no lab could learn from them.
    """
    by_name = {column.name: column for column in kinds}
    refusals.of_roles(sheet, by_name, roles)
    labels = sheet[roles.label]
    rows = labelled(sheet, roles)
    counts = Counter(labels[row] for row in rows)
    refusals.of_classes(counts, by_name[roles.label], len(rows))
    copies, disputed = _copies(sheet, roles, rows)
    return Look(
        rows=len(rows),
        classes=dict(counts.most_common()),
        unlabelled=len(sheet) - len(rows),
        missing={name: n for name in roles.read if (n := by_name[name].missing)},
        copies=copies,
        disputed=disputed,
        leaks=_leaks(sheet, by_name, roles, rows),
        notes=tuple(_notes(sheet, by_name, roles, counts)),
    )


def sentences(found: Look) -> list[str]:
    """Return in sentences what should be known before anything runs."""
    shown = list(found.classes.items())
    counted = ", ".join(f"{quoted(name)} {count:,}" for name, count in shown[:_SHOWN])
    if len(shown) > _SHOWN:
        counted += f" and {len(shown) - _SHOWN} others, the rarest {shown[-1][1]:,}"
    told = [f"{found.rows:,} rows in {len(shown)} classes: {counted}."]
    if found.unlabelled:
        told.append(f"{found.unlabelled:,} rows have no label and are left out.")
    for name, count in found.missing.items():
        told.append(f"{quoted(name)} says nothing in {count:,} rows.")
    if found.copies:
        told.append(
            f"{found.copies:,} rows are copies of another: both sides of a split share them."
        )
    if found.disputed:
        told.append(f"{found.disputed:,} rows equal another one but have a different label.")
    return [*told, *map(leak_sentence, found.leaks), *found.notes]


def leak_sentence(leak: Leak) -> str:
    """Return what to think of a column that gives the label away."""
    return (
        f"{quoted(leak.column)} alone gives the label away in {leak.share:.0%} of held-out rows. "
        f"Leave it out if it is known only afterwards."
    )


def labelled(sheet: Sheet, roles: Roles) -> list[int]:
    """Return the rows that have a label."""
    return [at for at, cell in enumerate(sheet[roles.label]) if not columns.is_missing(cell)]


def groups_of(sheet: Sheet, roles: Roles) -> int:
    """Return how many groups there are, 0 without a column for them."""
    return len(set(sheet[roles.group])) if roles.group else 0


def _notes(
    sheet: Sheet, kinds: Mapping[str, Column], roles: Roles, counts: "Counter[str]"
) -> list[str]:
    rare = [name for name, count in counts.items() if count < FEW_IN_CLASS]
    notes = [
        f"{quoted(name)} names each row anew: a model can only learn it by heart. Leave it out."
        for name in roles.read
        if kinds[name].kind == "id"
    ]
    if rare:
        notes.append(
            f"{len(rare):,} classes have fewer than {FEW_IN_CLASS} rows, as {quoted(rare[0])}: too "
            f"few to learn from and to be tested on."
        )
    groups = groups_of(sheet, roles)
    if roles.group and groups < FEWEST_GROUPS:
        notes.append(
            f"{quoted(roles.group)} has only {groups:,} groups; a split by group needs "
            f"{FEWEST_GROUPS}, so there will be none."
        )
    return notes


def _copies(sheet: Sheet, roles: Roles, rows: Sequence[int]) -> tuple[int, int]:
    read, labels = [sheet[name] for name in roles.read], sheet[roles.label]
    first: dict[tuple[str, ...], str] = {}
    copies = disputed = 0
    for row in rows:
        cells = tuple(column[row] for column in read)
        label = first.get(cells)
        copies += label == labels[row]
        disputed += label not in (None, labels[row])
        first.setdefault(cells, labels[row])
    return copies, disputed


def _leaks(
    sheet: Sheet, kinds: Mapping[str, Column], roles: Roles, rows: Sequence[int]
) -> tuple[Leak, ...]:
    """Columns that alone give the label away: learned on one half, tried on the other."""
    rows = rows[:: -(-len(rows) // _LEAK_ROWS)]
    labels = [sheet[roles.label][row] for row in rows]
    if max(Counter(labels).values()) > _NO_LEAK_ABOVE * len(rows):
        return ()
    found = []
    for name in roles.read:
        cells = [sheet[name][row] for row in rows]
        if kinds[name].kind == "text":
            share = _said(cells, labels)
        elif kinds[name].kind == "number":
            share = _right_alone(_binned(cells, has_commas=kinds[name].has_commas), labels)
        else:
            share = _right_alone(cells, labels)
        if share >= LEAK:
            found.append(Leak(column=name, share=share))
    return tuple(found)


def _right_alone(cells: Sequence[object], labels: Sequence[str]) -> float:
    """The share of every other row whose label is the commonest one of its cell's value."""
    order = np.random.default_rng(0).permutation(len(cells)).tolist()
    half = len(order) // 2
    seen: dict[object, Counter[str]] = defaultdict(Counter)
    for row in order[:half]:
        seen[cells[row]][labels[row]] += 1
    best = {cell: counts.most_common(1)[0][0] for cell, counts in seen.items()}
    right = sum(1 for row in order[half:] if best.get(cells[row]) == labels[row])
    return right / (len(order) - half)


def _binned(cells: Sequence[str], *, has_commas: bool) -> list[object]:
    """Numbers as the twentieth of all rows that they lie in."""
    numbers = [columns.number(cell, has_commas=has_commas) for cell in cells]
    known = np.array([one for one in numbers if one is not None] or [0.0])
    edges = np.unique(np.quantile(known, np.linspace(0, 1, _BINS + 1)[1:-1]))
    return [None if one is None else int(np.searchsorted(edges, one)) for one in numbers]


def _said(texts: Sequence[str], labels: Sequence[str]) -> float:
    """The share of rows whose text holds the very word of the label."""
    pairs = zip(texts, labels, strict=True)
    held = sum(len(label) > _LETTERS and label.lower() in text.lower() for text, label in pairs)
    return held / len(texts)
