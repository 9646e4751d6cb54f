"""The gates that every question must pass, and the bank as a whole; `check` prints them.

A bank passes when who knows nothing gains nothing: no length, no telling word, no place.
"""

from collections.abc import Callable, Iterator
from itertools import combinations

from course import terms
from course.clues import ABSOLUTES, PLACES, UNIT, cues, is_longest, is_shortest, overlap, runs
from course.gate import Gate, at_top, capped, each, fault, pct, singles, whole
from course.material import Material
from course.prose import sentences
from course.question import Question

STEM_WORDS, SENTENCE_WORDS = 60, 25
FULL, AN_OBJECTIVE = 220, 10
LONGEST_PCT = SHORTEST_PCT = 30
CUES_PCT, ABSOLUTES_POINTS, FORMS_POINTS = 10, 5, 5
ALIKE = 0.6
FORMS = {"recall": 55, "scenario": 35, "exhibit": 10}
GateOf = Callable[[Material], "Gate"]


def gates(material: Material) -> list[Gate]:
    """Every gate over the whole bank."""
    return [gate(material) for gate in GATES]


def names_are_known(material: Material) -> Gate:
    """Sources, labs, objectives and rows of the coverage that a question names exist."""
    course = material.course
    rows = {cover.row for cover in course.coverage}

    def unknown(question: Question) -> Iterator[str]:
        yield from (f"there is no source {e}" for e in question.sources if e not in course.sources)
        yield from (f"there is no row {each}" for each in question.covers if each not in rows)
        if question.lab is not None and question.lab not in course.labs:
            yield f"there is no lab {question.lab}"
        if question.objective not in course.objectives:
            yield f"there is no objective {question.objective}"

    return each(material, "names that nothing answers to", unknown)


def stems_are_short(material: Material) -> Gate:
    """A stem has at most 60 words, a sentence of it at most 25."""

    def too_long(question: Question) -> Iterator[str]:
        if (count := len(question.stem.split())) > STEM_WORDS:
            yield f"a stem of {count} words"
        for sentence in sentences(question.stem):
            if (count := len(sentence.split())) > SENTENCE_WORDS:
                yield f"a sentence of {count} words"

    return each(
        material, f"stems over {STEM_WORDS} words, sentences over {SENTENCE_WORDS}", too_long
    )


def options_name_no_place(material: Material) -> Gate:
    """No option speaks of other options or of a place in the list."""

    def placed(question: Question) -> Iterator[str]:
        for option in question.options:
            if found := PLACES.search(option.text):
                yield f"an option says {found[0]!r}"

    return each(material, "options that refer to a place", placed)


def numbers_are_sorted(material: Material) -> Gate:
    """Numeric options stand by size, in the file and on the screen."""

    def unsorted(question: Question) -> Iterator[str]:
        wrong = [option.number or 0.0 for option in question.distractors]
        if question.is_numeric and wrong != sorted(wrong):
            yield "distractors that are numbers go from small to large"

    return each(material, "numeric options out of order", unsorted)


def distractors_are_real(material: Material) -> Gate:
    """Each distractor holds a term of the glossary or a number with its unit."""
    known = list(material.course.terms.values())

    def empty(question: Question) -> Iterator[str]:
        for option in question.distractors:
            if not UNIT.search(option.text) and not any(terms.find(t, option.text) for t in known):
                yield f"neither a term nor a number with unit: {option.text}"

    return each(material, "distractors without a term or a number with unit", empty)


def no_two_are_alike(material: Material) -> Gate:
    """Stem and answers of two questions share at most 0.6 of their runs of three words."""
    bank = list(material.course.bank.questions.values())
    spoken = {question.id: runs(question) for question in bank}
    likeness = {
        (one.id, two.id): overlap(spoken[one.id], spoken[two.id])
        for one, two in combinations(bank, 2)
    }
    faults = (
        fault(material, two, f"{value:.2f} alike with {one}")
        for (one, two), value in likeness.items()
        if value > ALIKE
    )
    return Gate(
        name="most alike two questions (3-word runs)",
        figure=f"{max(likeness.values(), default=0.0):.2f}",
        allowed=f"<= {ALIKE}",
        faults=tuple(faults),
    )


def longest_is_no_clue(material: Material) -> Gate:
    """The right option of a single question is the longest alone in at most 30 %."""
    long = [q for q in singles(material) if is_longest(q)]
    return capped(material, "right option longest alone", long, LONGEST_PCT)


def shortest_is_no_clue(material: Material) -> Gate:
    """The right option of a single question is the shortest alone in at most 30 %."""
    short = [q for q in singles(material) if is_shortest(q)]
    return capped(material, "right option shortest alone", short, SHORTEST_PCT)


def no_cue_word(material: Material) -> Gate:
    """Stem and answer share a content word that no distractor has in at most 10 %."""
    cued = [question for question in singles(material) if cues(question)]
    return capped(material, "a word shared by stem and right option alone", cued, CUES_PCT)


def absolutes_are_even(material: Material) -> Gate:
    """Answers say always, only, never, all and must as often as distractors do."""
    bank = material.course.bank.questions.values()
    right = _absolute_pct([option.text for q in bank for option in q.answers])
    wrong = _absolute_pct([option.text for q in bank for option in q.distractors])
    return whole(
        material,
        "always, only, never, all, must: answers / distractors",
        f"{right:.1f} % / {wrong:.1f} %",
        f"within {ABSOLUTES_POINTS} points",
        abs(right - wrong) <= ABSOLUTES_POINTS,
    )


def forms_keep_their_shares(material: Material) -> Gate:
    """About 55 % recall, 35 % scenario, 10 % exhibit or arithmetic."""
    bank = list(material.course.bank.questions.values())
    share = {form: pct(sum(q.form == form for q in bank), len(bank)) for form in FORMS}
    return whole(
        material,
        "recall / scenario / exhibit",
        " / ".join(f"{share[form]:.0f}" for form in FORMS) + " %",
        " / ".join(map(str, FORMS.values())) + f" % within {FORMS_POINTS} points",
        all(abs(share[form] - aim) <= FORMS_POINTS for form, aim in FORMS.items()),
    )


def objectives_have_enough(material: Material) -> Gate:
    """Each objective has ten questions; asked of a bank of 220."""
    bank = material.course.bank
    fewest = min(len(bank.of(each)) for each in material.course.objectives)
    is_full = len(bank.questions) >= FULL
    faults = () if fewest >= AN_OBJECTIVE or not is_full else (at_top(material, "that is few"),)
    return Gate(
        name="fewest questions of an objective",
        figure=str(fewest),
        allowed=f">= {AN_OBJECTIVE}",
        faults=faults,
        waits=not is_full,
    )


GATES: tuple[GateOf, ...] = (
    names_are_known,
    stems_are_short,
    options_name_no_place,
    numbers_are_sorted,
    distractors_are_real,
    no_two_are_alike,
    longest_is_no_clue,
    shortest_is_no_clue,
    no_cue_word,
    absolutes_are_even,
    forms_keep_their_shares,
    objectives_have_enough,
)


def _absolute_pct(texts: list[str]) -> float:
    return pct(sum(bool(ABSOLUTES.search(text)) for text in texts), len(texts))
