"""The Alarm Desk: a seeded generator of synthetic incident tickets, and what labs need to train on them.

    folder = prepare(runs, Dials(seed=7))              # runs/data/<hash>/, made once, read-only
    desk = load(folder)                                # tables, labels as recorded, texts; no answers
    rows = split(desk, by="row", seed=7)               # .train .validation .unseen: row numbers
    features, names = alarm_features(desk)             # float32 (N, F); device=False leaves the fingerprint out
    vocabulary = Vocabulary.fit([desk.texts[row] for row in rows.train])
    bags = word_ids(desk, vocabulary)                  # .ids .offsets, .take(rows), .dense(len(vocabulary)), .drop(...)
    labels = desk.recorded                             # also desk.device, desk.month, desk.causes, desk.origin
    truth = answers(folder)                            # .true .family .duplicate_of .rows: for scoring only
    line = ceiling(desk.card["ceilings"], words=False, knows_device=True)   # "true", "recorded", "label", ...

`drop_words(text, share, random)` and `Bags.drop` keep a ticket's meaning; `drop_hedge_frames(text)` changes it.
`closed(folder)` are the leak fields, known only after the repair. Numbers only, no torch: labs make tensors of them.
All of it is invented: every row, card and chart says "synthetic".
"""

from trainer.datasets.ceiling import Ceiling, ceiling, ceilings
from trainer.datasets.dials import VERSION, Dials
from trainer.datasets.features import alarm_features
from trainer.datasets.splits import Split, split
from trainer.datasets.store import Answers, Desk, answers, closed, load, prepare
from trainer.datasets.words import Bags, Vocabulary, drop_hedge_frames, drop_words, tokens, word_ids

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
