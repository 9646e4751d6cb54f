"""Reads `content/` into one `Course`; a fault in a file is a `ContentError` with file and line."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar, get_args

from course.document import ContentError, Document, build, read_markdown, read_yaml
from course.exercise import Incident
from course.guide import Guide
from course.lesson import LabLesson, StageId
from course.model import Course, CourseFile, Cover, Figure, Source, Stage, Term, Way
from course.question import Bank, Question
from course.record import Record
from course.xid import XidCode, read_codes

STAGE_IDS = get_args(StageId)
CONTENT = Path(__file__).resolve().parent.parent / "content"

Kind = TypeVar("Kind", bound=Record)
Named = TypeVar("Named", Term, Source, Figure, Incident)


@dataclass(frozen=True, kw_only=True)
class Files:
    """The course's documents, kept by the checker to say where something stands."""

    course: Document
    stages: dict[str, Document]
    way: Document
    labs: dict[str, Document]
    guides: dict[str, Document]
    terms: Document
    sources: Document
    figures: Document
    coverage: Document
    questions: dict[str, Document]
    exercises: dict[str, Document]
    xid: dict[int, XidCode]


def load(root: Path | None = None) -> Course:
    """The course under `root`, by default the project's own; read once a process.

    Raises:
        ContentError: a file does not hold what it must; the message names file and line.
    """
    return _load((root or CONTENT).resolve())


@cache
def _load(root: Path) -> Course:
    return assemble(read_files(root))


def read_files(root: Path) -> Files:
    """All content files below `root`, parsed but not yet judged."""
    return Files(
        course=read_yaml(_need(root / "course.yaml", root), root),
        stages=_markdown(root, "stages"),
        way=read_markdown(_need(root / "way.md", root), root),
        labs=_markdown(root, "labs"),
        guides=_markdown(root, "guides"),
        terms=read_yaml(_need(root / "glossary.yaml", root), root),
        sources=read_yaml(_need(root / "sources.yaml", root), root),
        figures=read_yaml(_need(root / "figures.yaml", root), root),
        coverage=read_yaml(_need(root / "coverage.yaml", root), root),
        questions={path.stem: read_yaml(path, root) for path in _question_files(root)},
        exercises={path.stem: read_yaml(path, root) for path in _exercises(root)},
        xid=read_codes(root / "facts" / "xid.csv", root),
    )


def assemble(files: Files) -> Course:
    """The typed course of these files."""
    head = build(CourseFile, files.course, files.course.data)
    stages = [_page(Stage, document) for document in files.stages.values()]
    labs = [_page(LabLesson, document) for document in files.labs.values()]
    guides = [_page(Guide, document, "objective") for document in files.guides.values()]
    return Course(
        title=head.title,
        promise=head.promise,
        domains={domain.id: domain for domain in head.domains},
        objectives={objective.id: objective for objective in head.objectives},
        stages={stage.id: stage for stage in sorted(stages, key=lambda stage: stage.number)},
        way=_page(Way, files.way),
        labs={lab.id: lab for lab in sorted(labs, key=_order)},
        guides={guide.objective: guide for guide in sorted(guides, key=lambda each: each.order)},
        terms=_by_id(Term, files.terms),
        sources=_by_id(Source, files.sources),
        figures=_by_id(Figure, files.figures),
        coverage=tuple(_rows(Cover, files.coverage)),
        bank=Bank(questions=_bank(files.questions)),
        exercises={
            name: tuple(_by_id(Incident, document).values())
            for name, document in files.exercises.items()
        },
        xid=files.xid,
    )


def _need(path: Path, root: Path) -> Path:
    if not path.is_file():
        raise ContentError(f"{root.name}/{path.relative_to(root).as_posix()}", 1, "is missing")
    return path


def _exercises(root: Path) -> list[Path]:
    return sorted((root / "exercises").glob("*.yaml"))


def _markdown(root: Path, folder: str) -> dict[str, Document]:
    paths = sorted((root / folder).glob("*.md"))
    return {path.stem: read_markdown(path, root) for path in paths}


def _page(kind: type[Kind], document: Document, key: str = "id") -> Kind:
    """A Markdown file's record; its id, or what stands under `key`, is the file's name."""
    if not isinstance(document.data, dict):
        raise document.fault("front matter must be names with values")
    stem = Path(document.file).stem
    if document.data.get(key, stem) != stem:
        raise document.fault(f"{key}: {document.data[key]} is not the file's name", key)
    return build(kind, document, {key: stem} | document.data | {"body": document.body})


def _rows(kind: type[Kind], document: Document) -> Iterator[Kind]:
    if not isinstance(document.data, list):
        raise document.fault("must be a list")
    for index, row in enumerate(document.data):
        yield build(kind, document, row, index)


def _by_id(kind: type[Named], document: Document) -> dict[str, Named]:
    found: dict[str, Named] = {}
    for index, row in enumerate(_rows(kind, document)):
        if row.id in found:
            raise document.fault(f"{row.id}: stands twice", index, "id")
        found[row.id] = row
    return found


def _question_files(root: Path) -> list[Path]:
    """One file an objective, in the order of the objectives: 2.10 after 2.9."""
    return sorted((root / "questions").glob("*.yaml"), key=lambda path: _numbers(path.stem))


def _bank(documents: dict[str, Document]) -> dict[str, Question]:
    """The questions of all files; each belongs to the objective that its file is named after."""
    found: dict[str, Question] = {}
    for objective, document in documents.items():
        for index, row in enumerate(_rows(Question, document)):
            if row.objective != objective or not row.id.startswith(f"{objective}-"):
                raise document.fault(f"{row.id}: is not of objective {objective}", index, "id")
            if row.id in found:
                raise document.fault(f"{row.id}: stands twice", index, "id")
            found[row.id] = row
    return found


def _numbers(dotted: str) -> tuple[int, ...]:
    return tuple(int(part) for part in dotted.split(".") if part.isdecimal())


def _order(lab: LabLesson) -> tuple[int, int]:
    stage, number = lab.number.split(".")
    return int(stage), int(number)
