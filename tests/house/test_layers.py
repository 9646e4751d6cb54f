"""Boundaries that import-linter cannot see: scripts, strings, and numbers on pages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import PACKAGES, ROOT, imports, modules, parse

APP_MAY_IMPORT = ("ui", "trainer.dispatch", "trainer.tracking", "trainer.runs")


def is_below(name: str, roots: tuple[str, ...]) -> bool:
    return any(name == root or name.startswith(f"{root}.") for root in roots)


def hidden_imports(tree: ast.AST) -> list[int]:
    """Lines that import by a string which is ours, or which only the running program knows."""
    lines = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("import_module", "__import__", "run_module", "find_spec"):
            target = getattr(node.args[0], "value", None)
            if not isinstance(target, str) or is_below(target, PACKAGES):
                lines.append(node.lineno)
    return lines


def formatted_numbers(tree: ast.AST) -> list[int]:
    """Lines that turn a number into text by themselves."""
    lines = []
    for node in ast.walk(tree):
        has_spec = isinstance(node, ast.FormattedValue) and node.format_spec is not None
        is_percent = (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mod)
            and isinstance(node.left, ast.Constant)
            and isinstance(node.left.value, str)
        )
        name = ""
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if has_spec or is_percent or name in ("round", "format", "metric"):
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize("path", modules("trainer", "course", "ui", "pages"))
def test_no_layer_is_passed_by_importing_a_string(path: str) -> None:
    assert hidden_imports(parse(path)) == []


@pytest.mark.parametrize("path", modules("pages"))
def test_a_page_leaves_numbers_to_ui_number(path: str) -> None:
    assert formatted_numbers(parse(path)) == []


@pytest.mark.parametrize("path", [p for p in modules("ui") if p != "ui/number.py"])
def test_no_component_shows_a_figure_without_its_origin(path: str) -> None:
    calls = [node for node in ast.walk(parse(path)) if isinstance(node, ast.Attribute)]
    assert [c.lineno for c in calls if c.attr == "metric" and ast.unparse(c.value) == "st"] == []


@pytest.mark.parametrize("path", modules("pages"))
def test_a_page_is_layout_from_ui(path: str) -> None:
    allowed = ("ui", "streamlit", *sys.stdlib_module_names)
    assert {name for name in imports(parse(path)) if not is_below(name, allowed)} == set()


def test_app_only_starts_things() -> None:
    ours = {name for name in imports(parse("app.py")) if is_below(name, PACKAGES)}
    assert {name for name in ours if not is_below(name, APP_MAY_IMPORT)} == set()


def test_the_web_side_loads_neither_torch_nor_a_lab_nor_mlflow(runs: Path) -> None:
    names = [path.removesuffix(".py").replace("/", ".") for path in modules("ui", "app.py")]
    code = f"import sys, {', '.join(names)}; print(*{{name.split('.')[0] for name in sys.modules}})"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert answer.returncode == 0, answer.stderr
    assert {"torch", "labs", "mlflow"}.isdisjoint(answer.stdout.split())
    assert {"streamlit", "ui", "app"} <= set(answer.stdout.split())


def test_the_checks_see_what_they_forbid() -> None:
    assert hidden_imports(ast.parse('importlib.import_module("labs.x")')) == [1]
    assert hidden_imports(ast.parse('import_module(f"labs.{name}")')) == [1]
    assert hidden_imports(ast.parse('__import__("json")')) == []
    for source in ('f"{x:.2f}"', '"%d" % x', "round(x)", 'st.metric("a", x)', '"{}".format(x)'):
        assert formatted_numbers(ast.parse(source)) == [1]
    assert formatted_numbers(ast.parse('f"{x}"')) == []
