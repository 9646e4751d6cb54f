"""The Alarm Desk: seeded synthetic incident tickets, and what labs need to train on them.

    folder = prepare(runs, Dials(seed=7))       # runs/data/<hash>/, made once, read-only
    desk = load(folder)                         # alarm table, recorded causes, texts; no answers
    rows = split(desk, by="row", seed=7)        # .train .validation .unseen: row numbers
    features, names = alarm_features(desk)      # float32 (N, F); device=False: no fingerprint
    vocabulary = Vocabulary.fit(desk.texts[row] for row in rows.train)
    bags = word_ids(desk, vocabulary)           # .ids .offsets .take(rows) .dense(width) .drop(...)
    labels = desk.recorded                      # also .device .month .causes .origin .card
    truth = answers(folder)                     # .true .family .duplicate_of .rows: scoring only
    best = ceiling(desk.card["ceilings"], words=False, knows_device=True)  # "recorded", "label" ...

`drop_words(text, share, random)` and `Bags.drop` keep what a ticket means, while
`drop_hedge_frames(text)` changes it. `closed(folder)` are the leak fields, known only after the
repair. Arrays only, no torch: labs make tensors of them. All of it is invented: every row, card and
chart says "synthetic".
"""

from trainer.datasets.ceiling import Ceiling, ceiling, ceilings
from trainer.datasets.dials import VERSION, Dials
from trainer.datasets.features import alarm_features
from trainer.datasets.splits import Split, split
from trainer.datasets.store import Answers, Desk, answers, closed, load, prepare
from trainer.datasets.words import (
    Bags,
    Vocabulary,
    drop_hedge_frames,
    drop_words,
    tokens,
    word_ids,
)

__all__ = [
    "VERSION",
    "Answers",
    "Bags",
    "Ceiling",
    "Desk",
    "Dials",
    "Split",
    "Vocabulary",
    "alarm_features",
    "answers",
    "ceiling",
    "ceilings",
    "closed",
    "drop_hedge_frames",
    "drop_words",
    "load",
    "prepare",
    "split",
    "tokens",
    "word_ids",
]
