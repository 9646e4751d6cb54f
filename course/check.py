"""Holds every rule over the content: `python -m course.check` prints tables, exit 1 on a fault.

With `--write` it also writes `docs/coverage.md`, which stands beside the content.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from course import bank, coverage, exercise_rules, gate, guide_rules, references, wording
from course.document import ContentError
from course.load import CONTENT, assemble, read_files
from course.material import Material

Rule = Callable[[Material], Iterator[ContentError]]

RULES: tuple[Rule, ...] = (
    references.stages_are_six,
    references.way_passes_all_stages,
    references.labs_are_numbered,
    references.names_resolve,
    references.labs_require_earlier_ones,
    references.objectives_are_covered,
    references.coverage_points_at_what_exists,
    references.coverage_agrees_with_front_matter,
    references.sources_are_used,
    references.figures_are_used,
    references.inserts_exist,
    references.regions_exist,
    references.code_measures_it,
    exercise_rules.incidents_follow_the_table,
    exercise_rules.exercises_are_asked_for,
    guide_rules.objectives_have_guides,
    guide_rules.guides_say_where_they_stand,
    guide_rules.guides_tell_apart,
    guide_rules.guides_end_with_practice,
    guide_rules.guides_draw_from_tables,
    wording.length_fits,
    wording.neighbours_are_named,
    wording.first_paragraph_is_easy,
    wording.sections_are_there,
    wording.pictures_are_more_than_curves,
    wording.links_have_a_source,
    wording.figures_carry_their_origin,
    wording.abbreviations_are_explained,
    wording.voice_is_calm,
    wording.definitions_are_one_sentence,
    wording.terms_are_unique,
)
SCHEMA = "files_match_their_types"


@dataclass(frozen=True)
class Result:
    """What one rule found."""

    rule: str
    faults: tuple[ContentError, ...]


def check(root: Path = CONTENT, labs: Path | None = None) -> list[Result]:
    """The result of every rule over the content under `root` and the labs' code.

    A file that does not match its type ends the check: the other rules need typed content.
    """
    root = root.resolve()
    try:
        files = read_files(root)
        material = Material(assemble(files), files, labs or root.parent / "labs", root)
    except ContentError as error:
        return [Result(SCHEMA, (error,))]
    results = [Result(rule.__name__, tuple(rule(material))) for rule in RULES]
    return [Result(SCHEMA, ()), *results]


def table(results: list[Result]) -> str:
    """The results as text: a line a rule, then a line a fault."""
    width = max(len(result.rule) for result in results)
    rows = [f"{'rule':<{width}}  faults  result"]
    for result in results:
        word = "broken" if result.faults else "holds"
        rows.append(f"{result.rule:<{width}}  {len(result.faults):>6}  {word}")
    return "\n".join([*rows, *(str(fault) for result in results for fault in result.faults)])


def main(words: Sequence[str], root: Path = CONTENT) -> int:
    """Check content and bank and show what is covered; 1 when a rule or a gate is broken."""
    results = check(root)
    print(table(results))
    if any(result.faults for result in results):
        return 1
    files = read_files(root.resolve())
    course = assemble(files)
    gates = bank.gates(Material(course, files, root.parent / "labs"))
    print("", gate.table(gates), "", coverage.table(course), sep="\n")
    if "--write" in words:
        path = root.parent / "docs" / "coverage.md"
        path.write_text(coverage.document(course), encoding="utf-8")
    return int(any(each.faults for each in gates))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
