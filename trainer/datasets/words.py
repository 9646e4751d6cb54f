"""Tickets as words: tokeniser, vocabulary, bags of word numbers, and changes for training."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from trainer.datasets.store import Desk
from trainer.datasets.templates import language

UNKNOWN = "<unknown>"
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Letters of every alphabet; signs that each stand for a word count one by one.
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u9fff]+\d*|\d+")

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Bags:
    """Word numbers of N tickets, one after another, as `torch.nn.EmbeddingBag` takes them.

    Attributes:
        ids: all word numbers.
        offsets: (N,) where each ticket starts in `ids`.
    """

    ids: Ints
    offsets: Ints

    def __len__(self) -> int:
        """Number of tickets."""
        return len(self.offsets)

    @property
    def lengths(self) -> Ints:
        """(N,) number of words of each ticket."""
        return np.diff(self.offsets, append=len(self.ids))

    def take(self, rows: Ints) -> "Bags":
        """The bags of these rows, in this order."""
        lengths = self.lengths[rows]
        ends = lengths.cumsum()
        starts = ends - lengths
        places = np.arange(lengths.sum()) + np.repeat(self.offsets[rows] - starts, lengths)
        return Bags(self.ids[places], starts)

    def dense(self, width: int) -> NDArray[np.float32]:
        """(N, width) a 1 wherever a word occurs in a ticket."""
        table = np.zeros((len(self), width), dtype=np.float32)
        table[np.repeat(np.arange(len(self)), self.lengths), self.ids] = 1
        return table

    def drop(self, share: float, random: np.random.Generator) -> "Bags":
        """The bags with about this share of the words left out at random; the meaning stays."""
        keep = random.random(len(self.ids)) >= share
        before = np.concatenate([[0], keep.cumsum()]).astype(np.int64)
        return Bags(self.ids[keep], before[self.offsets])


@dataclass(frozen=True)
class Vocabulary:
    """The words a model knows; number 0 stands for every other one."""

    words: tuple[str, ...]

    @classmethod
    def fit(
        cls, texts: Iterable[str], *, min_count: int = 2, max_words: int = 4000
    ) -> "Vocabulary":
        """The words that occur at least `min_count` times. Give it training rows only."""
        counts = Counter(token for text in texts for token in tokens(text))
        ranked = sorted((-count, word) for word, count in counts.items() if count >= min_count)
        return cls((UNKNOWN, *(word for _, word in ranked[: max_words - 1])))

    def __len__(self) -> int:
        """Number of words, the unknown one included."""
        return len(self.words)

    def encode(self, texts: Sequence[str]) -> Bags:
        """The texts as word numbers."""
        rows = [[self._numbers.get(token, 0) for token in tokens(text)] for text in texts]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        ids = np.array([number for row in rows for number in row], dtype=np.int64)
        return Bags(ids, lengths.cumsum() - lengths)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}


def tokens(text: str) -> list[str]:
    """The words of a text in lower case; `lossOfSignal` counts as three, `AR017` as one."""
    return _TOKEN.findall(_HUMP.sub(" ", text).lower())


def word_ids(desk: Desk, vocabulary: Vocabulary) -> Bags:
    """The words of every ticket."""
    return vocabulary.encode(desk.texts)


def drop_words(text: str, share: float, random: np.random.Generator) -> str:
    """The text with about this share of its words left out at random."""
    words = text.split(" ")
    keep = random.random(len(words)) >= share
    return " ".join(word for word, is_kept in zip(words, keep, strict=True) if is_kept)


def drop_hedge_frames(text: str) -> str:
    """The text with "ruled out:" and all other frames of hedges cut off, their cues kept.

    What was dismissed is then stated, so the ticket means something else while its label stays: an
    augmentation that changes the label, for labs that show what this costs.
    """
    return ". ".join(_bare(sentence) for sentence in text.split(". "))


def _bare(sentence: str) -> str:
    for frame in _frames():
        found = frame.fullmatch(sentence)
        if found:
            return "".join(found.groups())
    return sentence


@cache
def _frames() -> tuple[re.Pattern[str], ...]:
    """A pattern for each frame with three groups: the ticket's head, the cue, the full stop."""
    patterns = []
    for hedge in language().hedges:
        before, after = (re.escape(part) for part in hedge.split("{}"))
        patterns.append(re.compile(rf"(.*\| |){before}(.+){after}(\.?)", re.IGNORECASE))
    return tuple(patterns)
