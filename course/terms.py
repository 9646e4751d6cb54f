"""Where the words of the glossary stand: the terms in a text, the lessons that use a term."""

import re
from functools import cache

from course.lesson import LabLesson
from course.model import Course, Stage, Term

Page = Stage | LabLesson

_NOT_PROSE = re.compile(r"```.*?```|`[^`]*`|\{\{.*?\}\}|\]\([^)]*\)", re.S)


def terms_in(course: Course, text: str) -> tuple[Term, ...]:
    """The terms that a text uses outside code and addresses, in the order of their first place."""
    prose = _NOT_PROSE.sub(" ", text)
    found = [(m.start(), term) for term in course.terms.values() if (m := find(term, prose))]
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
    return re.compile(rf"\b(?:{names})(?:e?s)?\b(?!:\w)", re.I)
