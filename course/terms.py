"""Where the words of the glossary stand: the terms in a text, the lessons that use a term."""

import re
from functools import cache

from course.lesson import LabLesson
from course.model import Course, Stage, Term

Page = Stage | LabLesson

_NOT_PROSE = re.compile(r"```.*?```|`[^`]*`|\{\{.*?\}\}|\]\([^)]*\)", re.S)


def terms_in(course: Course, text: str) -> tuple[Term, ...]:
    """The terms that a text uses outside code and addresses, in the order of their first place.

    Longer names go first and take their words along: where *chain rule* stands, *chain* does not.
    """
    prose, found = _NOT_PROSE.sub(" ", text), list[tuple[int, Term]]()
    for term in sorted(course.terms.values(), key=_longest_name, reverse=True):
        if match := find(term, prose):
            found.append((match.start(), term))
            prose = _pattern(term).sub(lambda m: "\0" * len(m[0]), prose)
    return tuple(term for _, term in sorted(found, key=lambda pair: pair[0]))


def find(term: Term, prose: str) -> re.Match[str] | None:
    """The first place of a term in a text, under any of its names, plural included."""
    return _pattern(term).search(prose)


def uses(course: Course) -> dict[str, tuple[Page, ...]]:
    """For each term the lessons that use it: stages first, then labs."""
    pages: list[Page] = [*course.stages.values(), *course.labs.values()]
    used: dict[str, list[Page]] = {term_id: [] for term_id in course.terms}
    for page in pages:
        for term in terms_in(course, f"{page.title}\n{page.body}"):
            used[term.id].append(page)
    return {term_id: tuple(found) for term_id, found in used.items()}


@cache
def _pattern(term: Term) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in (term.term, *term.also))
    # "run" is not meant where Run:ai stands.
    flags = re.NOFLAG if term.exact else re.I
    return re.compile(rf"\b(?:{names})(?:e?s)?\b(?!:\w)", flags)


def _longest_name(term: Term) -> int:
    return max(map(len, (term.term, *term.also)))
