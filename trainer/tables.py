"""One face for both kinds of data set: the Alarm Desk's tickets and what a learner brought.

What a data set cannot give is said here too, so that a lab leaves out the parts that need it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer import tickets
from trainer.datasets import Desk, Split, Vocabulary, answers
from trainer.datasets import load as load_desk
from trainer.datasets import split as split_desk
from trainer.owndata import desk as own
from trainer.owndata import lacks as missing
from trainer.owndata import making
from trainer.owndata.desk import OwnDesk
from trainer.owndata.encoding import Field

Table = Desk | OwnDesk
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
MOST_SCORED = (
    4000  # rows of a learner's own to validate or test with: more take memory, teach no more
)


def load(folder: Path) -> Table:
    """The data set of a folder, whoever made it.

    Raises:
        ValueError: the folder holds none.
    """
    return own.load(folder) if making.card_of(folder) else load_desk(folder)


def splits(table: Table, *, by_month: bool = True) -> tuple[str, ...]:
    """The ways in which the rows can be split; by month only if wanted, or if by device none is."""
    by_device = isinstance(table, Desk) or table.has_groups
    is_timed = isinstance(table, Desk) or table.has_time
    asked = {"device": by_device, "month": is_timed and (by_month or not by_device)}
    return ("row", *(by for by, can in asked.items() if can))


def cut(table: Table, by: str, seed: int, *, unseen_devices: int = 90) -> Split:
    """The rows split by one of `splits`."""
    if isinstance(table, Desk):
        return split_desk(table, by=by, seed=seed, unseen_devices=unseen_devices)
    return table.split(by, seed)


def few(table: Table, rows: Ints, seed: int, most: int = MOST_SCORED) -> Ints:
    """These rows; of a learner's own at most `most`, drawn by the seed, in their order."""
    if isinstance(table, Desk) or len(rows) <= most:
        return rows
    drawn = np.random.default_rng([seed, 3]).permutation(len(rows))[:most]
    chosen: Ints = np.sort(rows[drawn])
    return chosen


def vocabulary(table: Table, rows: Ints) -> Vocabulary:
    """The words of these rows; none where they hold no text."""
    if isinstance(table, OwnDesk) and not table.has_words:
        return Vocabulary(())
    return Vocabulary.fit(table.texts[row] for row in rows)


def words(table: Table, rows: Ints, known: Vocabulary) -> Floats:
    """A 1 for each known word that occurs in a row (N, words)."""
    if not len(known):
        return np.zeros((len(rows), 0), np.float32)
    return tickets.word_columns([table.texts[row] for row in rows], known)


def plain(table: Table, learned: Ints, rows: Ints | None = None) -> Floats:
    """What a model reads of these rows (all by default) beside words and device (N, F)."""
    if isinstance(table, OwnDesk):
        return table.columns(table.fields(learned), rows)
    found = tickets.alarm_columns(table)
    return found if rows is None else found[rows]


def plain_as(table: Table, described: Sequence[dict[str, Any]], rows: Ints) -> Floats:
    """The same, with a learner's own columns read as a kept model describes them."""
    if isinstance(table, OwnDesk):
        return table.columns([Field.of(one) for one in described], rows)
    return tickets.alarm_columns(table)[rows]


def blocks(table: Table, learned: Ints, *, named: bool) -> dict[str, Floats]:
    """All that a row tells beside its words, by what it tells of: the row, its device or group.

    With `named` there is a column for the name of each device or large group.
    """
    if isinstance(table, Desk):
        device = tickets.device_columns(table, named=named)
        return {"alarms": plain(table, learned), "device": device}
    found = {} if table.has_words else {"columns": plain(table, learned)}
    return found | ({"group": table.group_columns()} if named and table.has_groups else {})


def is_text(table: Table) -> bool:
    """Whether the rows are texts and nothing else, so that a model must read the words."""
    return isinstance(table, OwnDesk) and table.has_words


def described(table: Table, learned: Ints) -> list[dict[str, Any]]:
    """How the columns of a learner's own are read, for whoever asks the model later."""
    if isinstance(table, Desk):
        return []
    return [field.as_dict() for field in table.fields(learned)]


def name_of(table: Table, row: int) -> str:
    """How a row is called: by its ticket, or by its number in what a learner brought."""
    return str(table.tickets[row]["ticket_id"]) if isinstance(table, Desk) else f"row {row + 1}"


def alarms_of(table: Table, row: int) -> list[str]:
    """The names of a ticket's alarms; what a learner brought has none."""
    if isinstance(table, OwnDesk):
        return []
    pairs = zip(table.alarm_names, table.alarms[row], strict=True)
    return [name for name, is_on in pairs if is_on]


def truth(table: Table) -> Ints:
    """The true class of each row; of a learner's own the recorded one, as no other is known."""
    return table.recorded if isinstance(table, OwnDesk) else answers(table.folder).true


def at_most(table: Table, count: int, seed: int) -> Table:
    """The table; of a learner's own `count` rows at most, drawn by the seed."""
    if isinstance(table, Desk) or len(table) <= count:
        return table
    drawn = np.random.default_rng([seed, 4]).permutation(len(table))[:count]
    return table.take(np.sort(drawn))


def called(table: Table) -> dict[str, str]:
    """What a sentence calls rows put aside, and the splits."""
    if isinstance(table, Desk):
        return {"unseen": "unseen devices", "row": "row", "device": "device", "month": "month"}
    late = "the latest rows" if table.has_time else "rows put aside"
    aside = "unseen groups" if table.has_groups else late
    return {"unseen": aside, "row": "row", "device": "group", "month": "time"}


def told(table: Table, by: str) -> dict[str, Any] | None:
    """What a page says of a learner's own data set; None for tickets of the Alarm Desk."""
    if isinstance(table, Desk):
        return None
    roles = {part: table.card["roles"][part] for part in ("label", "group", "time")}
    return {"title": table.card["title"], "split": by, "roles": roles, "lacks": lacks(table)}


def lacks(table: Table) -> dict[str, str]:
    """The settings and arms for which a data set gives nothing, each with a sentence."""
    return {} if isinstance(table, Desk) else missing.of(table.card)
