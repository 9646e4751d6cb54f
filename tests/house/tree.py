"""The project's own files as the house tests see them: tracked paths and syntax trees."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("trainer", "labs", "course", "ui", "pages")


def tracked() -> list[str]:
    """Every path that git tracks, relative to the root."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [path for path in listing.split("\0") if path and (ROOT / path).is_file()]


def modules(*folders: str) -> list[str]:
    """The tracked Python files below these folders."""
    return [p for p in tracked() if p.endswith(".py") and p.split("/")[0] in folders]


def parse(path: str) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse((ROOT / path).read_text(), path)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imports(tree: ast.AST) -> set[str]:
    """The full names of everything that a tree imports, `from a import b` as `a.b`."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names
