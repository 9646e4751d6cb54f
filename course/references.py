"""Rules between files: whatever one file names, another one has."""

import ast
from collections.abc import Container, Iterable, Iterator
from itertools import product

from course.document import ContentError, Document
from course.inserts import FIGURE, LAB, asked
from course.lesson import LabLesson, NumberPredict
from course.load import STAGE_IDS
from course.material import Material
from course.model import ANSWERS_TO
from course.regions import ANY_ASK, ASK, RegionError, regions

ROWS = 56
OBJECTIVES = 22

Faults = Iterator[ContentError]


def stages_are_six(material: Material) -> Faults:
    """The six stages are all there, numbered in the order of the job."""
    stages = material.course.stages
    for number, stage_id in enumerate(STAGE_IDS, 1):
        if stage_id not in stages:
            yield material.files.course.fault(f"stages/{stage_id}.md is missing")
        elif stages[stage_id].number != number:
            yield material.files.stages[stage_id].fault(f"{stage_id} is stage {number}", "number")


def way_passes_all_stages(material: Material) -> Faults:
    """The page of the whole way has a step for each stage, in the order of the job."""
    if tuple(step.stage for step in material.course.way.steps) != STAGE_IDS:
        yield material.files.way.fault(f"steps must be: {', '.join(STAGE_IDS)}", "steps")


def labs_are_numbered(material: Material) -> Faults:
    """A lab's number lies in its stage and is its own."""
    numbers: dict[str, str] = {}
    for lab in material.course.labs.values():
        document = material.files.labs[lab.id]
        stage = STAGE_IDS.index(lab.stage) + 1
        if not lab.number.startswith(f"{stage}."):
            yield document.fault(f"number {lab.number} is not in stage {stage}", "number")
        if lab.number in numbers:
            message = f"number {lab.number} is also that of {numbers[lab.number]}"
            yield document.fault(message, "number")
        numbers[lab.number] = lab.id


def names_resolve(material: Material) -> Faults:
    """Objectives, sources, required labs, exercises and covered rows exist."""
    course = material.course
    rows = {cover.row for cover in course.coverage}
    known: dict[str, Container[object]] = {
        "objectives": course.objectives,
        "sources": course.sources,
        "requires": course.labs,
        "exercises": course.exercises,
        "labs": course.labs,
        "covers": rows,
    }
    for document in [*material.texts.values(), material.files.course]:
        for field, index, each in _named(document, known):
            if each not in known[field]:
                yield document.fault(f"{field}: there is no {each}", field, index)


def _named(document: Document, fields: Iterable[str]) -> Iterator[tuple[str, int, object]]:
    """The ids that a file lists in these fields; a list of records names nothing."""
    for field in fields:
        for index, each in enumerate(document.data.get(field, [])):
            if not isinstance(each, dict):
                yield field, index, each


def labs_require_earlier_ones(material: Material) -> Faults:
    """A lab requires only labs that come before it."""
    order = list(material.course.labs)
    for lab in material.course.labs.values():
        document = material.files.labs[lab.id]
        for index, each in enumerate(lab.requires):
            if each in order and order.index(each) >= order.index(lab.id):
                yield document.fault(f"requires {each}, which comes later", "requires", index)


def objectives_are_covered(material: Material) -> Faults:
    """All objectives of the exam are listed, each in a known domain and in at least one stage."""
    course, document = material.course, material.files.course
    if len(course.objectives) != OBJECTIVES:
        yield document.fault(f"{len(course.objectives)} objectives, not {OBJECTIVES}", "objectives")
    taught = {each for stage in course.stages.values() for each in stage.objectives}
    for index, objective in enumerate(course.objectives.values()):
        if objective.domain not in course.domains:
            yield document.fault(f"{objective.id} has no domain", "objectives", index)
        if objective.id not in taught:
            yield document.fault(f"{objective.id} is in no stage", "objectives", index)


def coverage_points_at_what_exists(material: Material) -> Faults:
    """Every row is listed once; what stands behind it exists and answers to one of its needs."""
    course, document = material.course, material.files.coverage
    if [cover.row for cover in course.coverage] != list(range(1, ROWS + 1)):
        yield document.fault(f"rows are not 1 to {ROWS} in order")
    known = course.covering
    for index, cover in enumerate(course.coverage):
        for kind, ids in cover.behind.items():
            for each in sorted(set(ids) - set(known[kind])):
                yield document.fault(f"there is no {each}", index, kind)
            if ids and ANSWERS_TO[kind] not in cover.needs:
                yield document.fault(f"row {cover.row} needs no {ANSWERS_TO[kind]}", index, kind)


def coverage_agrees_with_front_matter(material: Material) -> Faults:
    """A row lists a lab, a lesson, a guide or a question exactly if that says it covers the row."""
    course, document = material.course, material.files.coverage
    for kind, covering in course.covering.items():
        for (index, cover), each in product(enumerate(course.coverage), covering):
            if (cover.row in covering[each]) != (each in cover.behind[kind]):
                yield document.fault(f"row {cover.row} and {each} disagree", index, kind)


def sources_are_used(material: Material) -> Faults:
    """Each source stands behind at least one text."""
    used = {each for stage in material.course.stages.values() for each in stage.sources}
    used |= {each for lab in material.course.labs.values() for each in lab.sources}
    used |= {each for guide in material.course.guides.values() for each in guide.sources}
    used |= set(material.course.way.sources)
    used |= set(material.files.course.data["sources"])
    used |= {
        each for question in material.course.bank.questions.values() for each in question.sources
    }
    used |= {figure.source for figure in material.course.figures.values() if figure.source}
    for index, source_id in enumerate(material.course.sources):
        if source_id not in used:
            yield material.files.sources.fault(f"{source_id} is used nowhere", index)


def figures_are_used(material: Material) -> Faults:
    """Each quoted figure stands in at least one text, and its source is listed."""
    document = material.files.figures
    shown = {each for text in material.texts.values() for _, _, each in asked(text.body)}
    for index, figure in enumerate(material.course.figures.values()):
        if figure.id not in shown:
            yield document.fault(f"{figure.id} is used nowhere", index)
        if figure.source not in {None, *material.course.sources}:
            yield document.fault(f"there is no {figure.source}", index, "source")


def inserts_exist(material: Material) -> Faults:
    """Each figure and each lab that a text asks for is there."""
    course = material.course
    known: dict[str, Container[object]] = {"figures": course.figures, "labs": course.labs}
    for document in material.texts.values():
        for ask, kind, each in asked(document.body):
            if each not in known[kind]:
                yield document.fault_in_body(f"there is no {each}", ask)


def regions_exist(material: Material) -> Faults:
    """Each piece of code a lesson asks for is marked in that lab's file; nothing else is asked."""
    for document in material.texts.values():
        for ask in ANY_ASK.findall(document.body):
            match = ASK.search(ask)
            if FIGURE.fullmatch(ask) or LAB.fullmatch(ask):
                continue
            if not match:
                yield document.fault_in_body(f"{ask} is not understood", ask)
                continue
            try:
                found = regions(_source(material, match["file"]), match["file"])
            except RegionError as error:
                yield document.fault_in_body(str(error), ask)
                continue
            if match["name"] not in found:
                message = f"{match['file']} has no region {match['name']}"
                yield document.fault_in_body(message, ask)


def _source(material: Material, file: str) -> str:
    path = material.labs.parent / file
    if not path.is_file():
        raise RegionError(f"{file} is missing")
    return path.read_text(encoding="utf-8")


def code_measures_it(material: Material) -> Faults:
    """What a lesson expects of its lab stands in the lab's code: settings, findings, samples."""
    for lab_id, source in material.sources():
        lab, document = material.course.labs[lab_id], material.files.labs[lab_id]
        if source is None:
            yield document.fault(f"labs/{lab_id}.py is missing")
            continue
        yield from _code_faults(lab, document, ast.parse(source))


def _code_faults(lab: LabLesson, document: Document, tree: ast.Module) -> Faults:
    said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    said |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    for part in lab.predict.parts:
        if "/" not in part.outcome and part.outcome not in said:
            yield document.fault(f"the lab never says {part.outcome}", "predict")
        if isinstance(part, NumberPredict) and part.high_from not in _settings(tree) | {None}:
            yield document.fault(f"the lab has no setting {part.high_from}", "predict")
    if "/" not in lab.target.outcome and lab.target.outcome not in said:
        yield document.fault(f"the lab never says {lab.target.outcome}", "target", "outcome")
    for index, picture in enumerate(lab.pictures):
        if picture.kind != "curve" and picture.data not in said:
            yield document.fault(f"the lab never shows {picture.data}", "pictures", index, "data")


def _settings(tree: ast.Module) -> set[str | None]:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    fields = [each for node in classes if node.name == "Config" for each in node.body]
    targets = [each.target for each in fields if isinstance(each, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}
