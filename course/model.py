"""The course as one strict object; reading files is left to `load`, cross-file rules to `check`."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from course.exercise import Incident
from course.guide import Guide
from course.lesson import LabLesson, ObjectiveNumber, StageId
from course.question import Bank
from course.record import Id, Listed, Record, Some, Text
from course.xid import XidCode

# Each kind that may stand behind a row of the coverage, with the need it answers to. A lesson is
# that of a stage or `way`, the page of the whole way.
ANSWERS_TO = {"labs": "L", "lessons": "G", "guides": "G", "questions": "Q"}
WAY = "way"


class Stage(Record):
    """One of the six stations of the job, with a lesson of its own."""

    id: StageId
    number: Annotated[int, Field(ge=1, le=6)]
    title: Text
    short: Text
    icon: Annotated[str, Field(pattern=r"^:material/[a-z0-9_]+:$")]
    summary: Text
    objectives: Some[ObjectiveNumber]
    covers: Listed[Annotated[int, Field(ge=1)]]
    sources: Listed[Id] = ()
    body: Text


class WayStep(Record):
    """One stage on the page of the whole way: what is done, by which software, on what machines."""

    stage: StageId
    does: Text
    software: Some[Text]
    machines: Some[Text]


class Way(Record):
    """The whole way on one page."""

    id: Id
    title: Text
    summary: Text
    covers: Listed[Annotated[int, Field(ge=1)]]
    sources: Listed[Id] = ()
    steps: Some[WayStep]
    body: Text


class Domain(Record):
    """One of the three parts of the exam."""

    id: Annotated[str, Field(pattern=r"^[123]$")]
    title: Text


class Objective(Record):
    """One of the things the exam asks for, in our own words."""

    id: ObjectiveNumber
    title: Text

    @property
    def domain(self) -> str:
        """The id of the domain it belongs to."""
        return self.id.split(".")[0]


class Term(Record):
    """A word of the glossary, explained in one plain sentence.

    An `exact` one is meant in this spelling alone: SHARP is not sharp, DRIVE is not a drive.
    """

    id: Id
    term: Text
    definition: Text
    also: Listed[Text] = ()
    exact: bool = False


class Source(Record):
    """Something a statement of the course rests on, with the day it was read."""

    id: Id
    title: Text
    publisher: Text
    address: Text
    read: date


class Figure(Record):
    """A number that a lesson quotes: documented by a source (D) or computed by a formula (C).

    The day on which a documented one was read stands in its source. One that only secondary texts
    give, or that they give differently, is `uncertain`: no question may rest on it.
    """

    id: Id
    value: int | float
    unit: str = ""
    says: Text
    origin: Literal["D", "C"]
    source: Id | None = None
    formula: Text | None = None
    uncertain: bool = False

    @model_validator(mode="after")
    def _has_what_its_origin_needs(self) -> Self:
        if self.origin == "D" and self.source is None:
            raise ValueError("a documented figure needs a source")
        if self.origin == "C" and self.formula is None:
            raise ValueError("a computed figure needs a formula")
        return self


class Cover(Record):
    """A row of what the course must cover, with the ids of what stands behind it now.

    `needs` are letters: a live lab (L), a text to read (G), questions (Q). Labs answer to L, guides
    and lessons to G, questions to Q; a row with nothing behind it lists nothing.
    """

    row: Annotated[int, Field(ge=1)]
    concept: Text
    needs: Annotated[str, Field(pattern=r"^L?G?Q?$", min_length=1)]
    labs: Listed[Id] = ()
    lessons: Listed[Id] = ()
    guides: Listed[Text] = ()
    questions: Listed[Text] = ()

    @property
    def behind(self) -> dict[str, tuple[str, ...]]:
        """The ids of each kind."""
        return {kind: getattr(self, kind) for kind in ANSWERS_TO}

    @property
    def has(self) -> str:
        """The letters of which this row has at least one."""
        found = {ANSWERS_TO[kind] for kind, ids in self.behind.items() if ids}
        return "".join(letter for letter in "LGQ" if letter in found)

    @property
    def missing(self) -> str:
        """The letters of what this row still needs."""
        return "".join(letter for letter in self.needs if letter not in self.has)


class CourseFile(Record):
    """What `course.yaml` holds."""

    title: Text
    promise: Text
    sources: Some[Id]
    domains: Some[Domain]
    objectives: Some[Objective]


class Course(Record):
    """All of it, each kind by its id and in reading order."""

    title: str
    promise: str
    domains: dict[str, Domain]
    objectives: dict[str, Objective]
    stages: dict[str, Stage]
    way: Way
    labs: dict[str, LabLesson]
    guides: dict[str, Guide]
    terms: dict[str, Term]
    sources: dict[str, Source]
    figures: dict[str, Figure]
    coverage: tuple[Cover, ...]
    bank: Bank
    exercises: dict[str, tuple[Incident, ...]]
    xid: dict[int, XidCode]

    def labs_of(self, stage_id: str) -> tuple[LabLesson, ...]:
        """The lab lessons of one stage, in the order of their numbers."""
        return tuple(lab for lab in self.labs.values() if lab.stage == stage_id)

    @property
    def covering(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """For each kind its ids, each with the rows that its own front matter says it covers."""
        labs = {lab.id: lab.covers for lab in self.labs.values()}
        lessons = {str(stage.id): stage.covers for stage in self.stages.values()}
        lessons[WAY] = self.way.covers
        guides = {guide.objective: guide.covers for guide in self.guides.values()}
        # Questions stand there by their objective: a list of ids would run to hundreds.
        questions = self.bank.covering
        return {"labs": labs, "lessons": lessons, "guides": guides, "questions": questions}
