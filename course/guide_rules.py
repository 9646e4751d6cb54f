"""Rules on the guides: one an objective, from its place in the six stages to its practice."""

from collections.abc import Iterator

from course.document import ContentError
from course.inserts import LAB
from course.material import Material
from course.prose import first_paragraph, headings

ENDS_WITH = ["Traps", "Labs and questions"]

Faults = Iterator[ContentError]


def objectives_have_guides(material: Material) -> Faults:
    """Each guide answers to an objective, and each objective has its guide."""
    course = material.course
    for objective in course.guides:
        if objective not in course.objectives:
            yield material.files.guides[objective].fault(f"there is no objective {objective}")
    for objective in course.objectives:
        if objective not in course.guides:
            yield material.files.course.fault(f"guides/{objective}.md is missing", "objectives")


def guides_say_where_they_stand(material: Material) -> Faults:
    """A guide's first paragraph names the stage or stages that it belongs to."""
    titles = [stage.title for stage in material.course.stages.values()]
    for objective, guide in material.course.guides.items():
        first = first_paragraph(guide.body)
        if "stage" not in first or not any(f"*{title}*" in first for title in titles):
            message = "the first paragraph does not say where this stands in the six stages"
            yield material.files.guides[objective].fault_in_body(message)


def guides_tell_apart(material: Material) -> Faults:
    """A guide has at least one table, and each of its tables has a head."""
    for objective, guide in material.course.guides.items():
        document = material.files.guides[objective]
        tables = [part for part in guide.body.split("\n\n") if part.startswith("|")]
        if not tables:
            yield document.fault_in_body("there is no table")
        if any("\n| ---" not in table for table in tables):
            yield document.fault_in_body("a table without its line of dashes")


def guides_end_with_practice(material: Material) -> Faults:
    """A guide ends with its traps, then with the way to each of its labs."""
    for objective, guide in material.course.guides.items():
        document = material.files.guides[objective]
        if headings(guide.body)[-2:] != ENDS_WITH:
            yield document.fault_in_body(f"the last sections must be: {', '.join(ENDS_WITH)}")
        shown = LAB.findall(guide.body.rpartition(f"## {ENDS_WITH[1]}")[2])
        if sorted(shown) != sorted(guide.labs):
            message = f"the last section leads to {', '.join(shown) or 'no lab'}"
            yield document.fault(message, "labs")


def guides_draw_from_tables(material: Material) -> Faults:
    """A guide's figure is drawn from a fact table, and from a column that the table has."""
    for objective, guide in material.course.guides.items():
        table, dot, column = guide.figure.data.partition(".") if guide.figure else ("", "", "")
        columns = material.tables.get(table, ())
        if guide.figure and (not columns or (dot and column not in columns)):
            document = material.files.guides[objective]
            yield document.fault(f"there is no {guide.figure.data}", "figure", "data")
