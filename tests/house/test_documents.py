"""What the papers say is what lies here: tree, pins, pairs of lab and lesson, private addresses."""

import ast
import re
from pathlib import PurePath

import pytest
import yaml

from tests.house.tree import ROOT, modules, parse, tracked

VAGUE = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}
CONSTANTS = {"STAGE", "NUMBER", "TITLE", "MINUTES"}
# Written in two parts, so that this file does not hold what it looks for.
HALVES = [("/wor", "k/"), ("/opt/", "pypi"), ("/opt/", "wheels"), ("/roo", "t/"), ("pypi", ".org")]
HALVES += [("python", "hosted."), ("npmjs", "."), ("/hom", "e/")]
PRIVATE = re.compile("|".join(re.escape(left + right) for left, right in HALVES))
ENDINGS = (".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".js", ".css", "file", "run")
TEXTS = [path for path in tracked() if path.endswith(ENDINGS)]
PINS = [
    line.strip()
    for name in ("requirements.txt", "requirements-dev.txt")
    for line in (ROOT / name).read_text().splitlines()
    if line.strip() and not line.startswith(("#", "-r "))
]


def test_the_readme_tree_is_the_real_one() -> None:
    tree = (ROOT / "README.md").read_text().split("```text\n")[-1].split("```")[0]
    shown = {line.split()[0].rstrip("/") for line in tree.splitlines() if line.strip()}
    real = {path.split("/")[0] for path in tracked()}
    assert shown == {name for name in real if not name.startswith(".")} | {".ci", ".streamlit"}


def test_the_readme_names_every_lab() -> None:
    readme = (ROOT / "README.md").read_text()
    named = [f"{lab_facts(lab)['number']} {lab_facts(lab)['title']}" for lab in labs()]
    assert [name for name in named if name not in readme] == []


@pytest.mark.parametrize("line", PINS)
def test_a_requirement_is_pinned_and_has_a_reason(line: str) -> None:
    match = re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[[a-z,]+\])?==[0-9][0-9A-Za-z.]*", line)
    assert match, f"not pinned exactly: {line}"
    assert f"`{match[1]}`" in (ROOT / "docs" / "architecture.md").read_text()


@pytest.mark.parametrize("path", [p for p in tracked() if p.endswith(".py")])
def test_a_module_is_named_for_what_it_holds(path: str) -> None:
    assert VAGUE.isdisjoint(path.removesuffix(".py").split("/"))


@pytest.mark.parametrize("path", TEXTS)
def test_no_file_names_a_machine_or_a_registry(path: str) -> None:
    assert PRIVATE.findall((ROOT / path).read_text(encoding="utf-8")) == []


def lab_facts(lab_id: str) -> dict[str, object]:
    """The constants at the top of a lab, read without running it."""
    facts: dict[str, object] = {}
    for node in parse(f"labs/{lab_id}.py").body:
        if isinstance(node, ast.Assign):
            names = ast.unparse(node.targets[0]).strip("()").split(", ")
            values = [node.value] if len(names) == 1 else getattr(node.value, "elts", [])
            pairs = zip(names, values, strict=True)
            facts |= {n.lower(): ast.literal_eval(v) for n, v in pairs if n in CONSTANTS}
    return facts


def labs() -> set[str]:
    """Every module in `labs/` that says which stage it belongs to."""
    stems = {PurePath(path).stem for path in modules("labs")}
    return {stem for stem in stems if "stage" in lab_facts(stem)}


def lessons() -> set[str]:
    """Every lesson of a lab."""
    paths = (PurePath(path) for path in tracked())
    return {path.stem for path in paths if path.match("content/labs/*.md")}


def test_every_lab_has_a_lesson_and_every_lesson_a_lab() -> None:
    assert labs() == lessons() != set()


@pytest.mark.parametrize("lab_id", sorted(labs() & lessons()))
def test_a_lab_and_its_lesson_agree(lab_id: str) -> None:
    lesson = yaml.safe_load((ROOT / f"content/labs/{lab_id}.md").read_text().split("---\n")[1])
    facts = lab_facts(lab_id)
    assert set(facts) == {name.lower() for name in CONSTANTS}
    assert {name: lesson[name] for name in facts} == facts
