"""Rules on the incidents: what their logs and sources name exists, and a lab asks for each file."""

from collections.abc import Iterator

from course.document import ContentError
from course.exercise import ACTIONS
from course.material import Material

_LEAST = 12

Faults = Iterator[ContentError]


def incidents_follow_the_table(material: Material) -> Faults:
    """Each number in a log stands in facts/xid.csv, and each source of both exists."""
    course = material.course
    for name, document in material.files.exercises.items():
        for index, incident in enumerate(course.exercises[name]):
            for code in set(incident.codes) - course.xid.keys():
                yield document.fault(f"{code} is not in facts/xid.csv", index, "log")
            for source in set(incident.sources) - course.sources.keys():
                yield document.fault(f"there is no source {source}", index, "sources")
    for code, row in course.xid.items():
        if row.source not in course.sources:
            yield material.files.course.fault(f"facts/xid.csv: {code} names no source we have")


def exercises_are_asked_for(material: Material) -> Faults:
    """Each file belongs to a lab, is long enough, and every action is right somewhere in it."""
    course = material.course
    asked = {each for lab in course.labs.values() for each in lab.exercises}
    for name, document in material.files.exercises.items():
        incidents = course.exercises[name]
        if name not in asked:
            yield document.fault(f"no lab asks for {name}")
        if len(incidents) < _LEAST:
            yield document.fault(f"{len(incidents)} incidents; it takes {_LEAST}")
        never = set(ACTIONS) - {incident.right for incident in incidents}
        if never:
            yield document.fault(f"never right: {', '.join(sorted(never))}")
