"""Rules on the texts themselves: their length, their parts, their words."""

import re
from collections.abc import Iterator

from course.document import ContentError, Document
from course.material import Material
from course.prose import abbreviations, figures, first_paragraph, headings, links, sentences, words

LAB_LENGTH, STAGE_LENGTH, GUIDE_LENGTH = range(300, 601), range(500, 901), range(400, 901)
LONGEST_FIRST_SENTENCE = 22
LONGEST_DEFINITION = 25
SECTIONS = [
    "What you will see",
    "The code",
    "Try this",
    "What to notice",
    "What it does not show",
]
UNWELCOME = re.compile(r"!|\b(simply|oops|obviously|great job|well done)\b", re.I)

Faults = Iterator[ContentError]


def length_fits(material: Material) -> Faults:
    """A lab's lesson has 300 to 600 words, a stage's 500 to 900, a guide 400 to 900."""
    files = material.files
    kinds = (
        (files.stages, STAGE_LENGTH),
        (files.labs, LAB_LENGTH),
        (files.guides, GUIDE_LENGTH),
    )
    for documents, length in kinds:
        for document in documents.values():
            if (count := len(words(document.body))) not in length:
                message = f"{count} words; it takes {length[0]} to {length[-1]}"
                yield document.fault_in_body(message)


def neighbours_are_named(material: Material) -> Faults:
    """A stage's first paragraph says which stage it is, what comes before it and what after."""
    titles = [stage.title for stage in material.course.stages.values()]
    for index, stage in enumerate(material.course.stages.values()):
        document, first = material.files.stages[stage.id], first_paragraph(stage.body)
        # The job is a loop: before the first stage and after the last stands the other end.
        for title in (titles[index - 1], titles[(index + 1) % len(titles)]):
            if f"*{title}*" not in first:
                yield document.fault_in_body(f"the first paragraph does not name *{title}*")
        if "stage" not in first:
            yield document.fault_in_body("the first paragraph does not say which stage this is")


def first_paragraph_is_easy(material: Material) -> Faults:
    """A bright sixteen-year-old understands the first paragraph: short sentences."""
    for document in material.texts.values():
        for sentence in sentences(first_paragraph(document.body)):
            if (count := len(words(sentence))) > LONGEST_FIRST_SENTENCE:
                yield document.fault_in_body(f"a sentence of {count} words: {sentence[:40]} ...")


def sections_are_there(material: Material) -> Faults:
    """A lab lesson has its five sections, in order."""
    for document in material.files.labs.values():
        if headings(document.body) != SECTIONS:
            yield document.fault_in_body(f"sections must be: {', '.join(SECTIONS)}")


def pictures_are_more_than_curves(material: Material) -> Faults:
    """A lab has at least one picture besides curves."""
    for lab in material.course.labs.values():
        if all(picture.kind == "curve" for picture in lab.pictures):
            yield material.files.labs[lab.id].fault("no picture besides curves", "pictures")


def links_have_a_source(material: Material) -> Faults:
    """A link leads to the address of a source."""
    addresses = {source.address for source in material.course.sources.values()}
    for document in material.texts.values():
        for address in links(document.body):
            if address not in addresses:
                yield document.fault_in_body(f"{address} is not in sources.yaml", address)


def figures_carry_their_origin(material: Material) -> Faults:
    """No bare figure stands in a text: measured ones come from the run, others need an origin."""
    for document in material.texts.values():
        for figure in figures(document.body):
            yield document.fault_in_body(f"the figure {figure} has no origin", figure)


def abbreviations_are_explained(material: Material) -> Faults:
    """Every abbreviation and product name is in the glossary."""
    known = _known_words(material)
    for document in material.texts.values():
        for abbreviation in abbreviations(document.body):
            if abbreviation.lower() not in known:
                message = f"{abbreviation} is not in the glossary"
                yield document.fault_in_body(message, abbreviation)


def voice_is_calm(material: Material) -> Faults:
    """No exclamation marks, no praise, no "simply"."""
    for document in [*material.texts.values(), material.files.course, material.files.terms]:
        for text, line in _lines(document):
            if found := UNWELCOME.search(text):
                yield ContentError(document.file, line, f"{found[0]!r} is not our voice")


def definitions_are_one_sentence(material: Material) -> Faults:
    """A definition is one sentence of at most 25 words that ends with a full stop."""
    for index, term in enumerate(material.course.terms.values()):
        count = len(words(term.definition))
        one = len(sentences(term.definition)) == 1 and term.definition.endswith(".")
        if not one or count > LONGEST_DEFINITION:
            message = f"{term.term}: one sentence of at most {LONGEST_DEFINITION} words"
            yield material.files.terms.fault(message, index, "definition")


def terms_are_unique(material: Material) -> Faults:
    """No word is explained twice, and the terms stand in the order of the alphabet."""
    terms, seen, last = material.files.terms, dict[str, str](), ""
    for index, term in enumerate(material.course.terms.values()):
        for word in (term.term.lower(), *(each.lower() for each in term.also)):
            if word in seen:
                yield terms.fault(f"{word} is also explained by {seen[word]}", index)
            seen[word] = term.term
        if term.term.lower() < last:
            yield terms.fault(f"{term.term} stands after {last}", index)
        last = term.term.lower()


def _known_words(material: Material) -> set[str]:
    """Each glossary entry, its other forms, and the single words they are made of."""
    entries = [
        entry for term in material.course.terms.values() for entry in (term.term, *term.also)
    ]
    parts = [part for entry in entries for part in re.split(r"[\s-]+", entry)]
    return {word.lower() for word in entries + parts}


def _lines(document: Document) -> Iterator[tuple[str, int]]:
    """The prose of a file with its line numbers: values of the front matter, then the body."""
    yield from _values(document, document.data)
    for offset, line in enumerate(document.body.splitlines()):
        yield line, document.body_line + offset


def _values(document: Document, data: object, *path: str | int) -> Iterator[tuple[str, int]]:
    if isinstance(data, str):
        yield data, document.line_of(*path)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _values(document, value, *path, key)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _values(document, value, *path, index)
