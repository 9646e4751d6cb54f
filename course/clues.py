"""Measures what a question gives away: length, telling words, likeness. Knows no file, no limit."""

import re

from course.question import Question

ABSOLUTES = re.compile(r"\b(always|only|never|all(?!-)|must)\b", re.I)
PLACES = re.compile(
    r"\b(all|none|any|both|each) of (the|these) (above|below|others?|options?)\b"
    r"|\b(all|none) of (these|them)\b|\b(above|below)\b|\boptions? [A-F1-6]\b"
    r"|\b(first|last|previous|next|other) (option|answer)s?\b"
    r"|\bboth [A-F] and [A-F]\b|\bthe (former|latter)\b",
    re.I,
)
UNIT = re.compile(
    r"\d\s?(%|°C|(?:[kMGTP]?(?:i?B|bit|b|W|Wh|V|Hz|FLOPS)(?:/s)?|GbE|[mµn]?s)\b|[a-z]{2,}\b)"
)
_WORD = re.compile(r"[a-z0-9](?:[a-z0-9:+/',.-]*[a-z0-9])?")
_SMALL_WORDS = """
a about across after again against all also an and any are as at be because been before being
between both but by can could do does each for from get gets had has have how if in inside into is
it its like made make makes many more most must need needs no not of off on once one only or other
our out over own per same should so some such than that the their them then there these they this
those through to two under until up use used uses using was what when where which while who whose
why will with within without would you your
"""
_SMALL = frozenset(_SMALL_WORDS.split())


def cues(question: Question) -> set[str]:
    """The content words that the stem shares with an answer and with no distractor."""
    right = set().union(*(content_words(option.text) for option in question.answers))
    wrong = set().union(*(content_words(option.text) for option in question.distractors))
    return content_words(question.stem) & right - wrong


def content_words(text: str) -> set[str]:
    """The words that carry meaning, in one form for singular and plural."""
    found = set(_WORD.findall(text.lower())) - _SMALL
    return {word.removesuffix("s") if len(word) > 3 else word for word in found}


def is_longest(question: Question) -> bool:
    """Whether one answer is longer than every distractor."""
    right, wrong = _lengths(question)
    return max(right) > max(wrong)


def is_shortest(question: Question) -> bool:
    """Whether one answer is shorter than every distractor."""
    right, wrong = _lengths(question)
    return min(right) < min(wrong)


def runs(question: Question) -> set[tuple[str, ...]]:
    """Every run of three words in the stem and in each answer."""
    texts = [question.stem, *(option.text for option in question.answers)]
    spoken = [_WORD.findall(text.lower()) for text in texts]
    return {tuple(each[at : at + 3]) for each in spoken for at in range(max(len(each) - 2, 1))}


def overlap(one: set[tuple[str, ...]], two: set[tuple[str, ...]]) -> float:
    """The share of all runs that both have (Jaccard)."""
    return len(one & two) / len(one | two)


def _lengths(question: Question) -> tuple[list[int], list[int]]:
    return (
        [len(option.text) for option in question.answers],
        [len(option.text) for option in question.distractors],
    )
