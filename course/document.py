"""A content file with its line numbers: YAML, or Markdown with YAML front matter."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from course.record import Record

FENCE = "---\n"

Kind = TypeVar("Kind", bound=Record)


class ContentError(ValueError):
    """A fault in a content file; reads `file:line: what is wrong`."""

    def __init__(self, file: str, line: int, message: str) -> None:
        """Say what is wrong and where."""
        super().__init__(f"{file}:{line}: {message}")
        self.file, self.line, self.message = file, line, message


@dataclass(frozen=True, kw_only=True)
class Document:
    """A file's data, where each part of it stands, and the Markdown after it."""

    file: str
    data: Any
    node: yaml.Node
    first_line: int = 1
    body: str = ""
    body_line: int = 1

    def line_of(self, *path: str | int) -> int:
        """The line of the part that a path of keys and indices leads to, as far as it exists."""
        node = self.node
        line = node.start_mark.line
        for key in path:
            found = _child(node, key)
            if found is not None:
                node, line = found
        return line + self.first_line

    def find(self, text: str) -> int:
        """The line of the body on which a text starts; the body's first where it is not there."""
        return self.body_line + self.body.count("\n", 0, max(self.body.find(text), 0))

    def fault_in_body(self, message: str, text: str = "") -> ContentError:
        """An error that points at a text in the body of this file."""
        return ContentError(self.file, self.find(text), message)

    def fault(self, message: str, *path: str | int) -> ContentError:
        """An error that points at a part of this file."""
        return ContentError(self.file, self.line_of(*path), message)


def read_yaml(path: Path, root: Path) -> Document:
    """The document of a YAML file."""
    return _parse(path.read_text(encoding="utf-8"), _name(path, root))


def read_markdown(path: Path, root: Path) -> Document:
    """The document of a Markdown file that starts with front matter between `---` lines."""
    text, file = path.read_text(encoding="utf-8"), _name(path, root)
    front, fence, body = text.removeprefix(FENCE).partition("\n" + FENCE)
    if not text.startswith(FENCE) or not fence:
        raise ContentError(file, 1, "front matter between two lines of --- is missing")
    parsed = _parse(front, file, first_line=2)
    blank = len(body) - len(body.lstrip("\n"))
    return Document(
        file=file,
        data=parsed.data,
        node=parsed.node,
        first_line=2,
        body=body.strip() + "\n",
        body_line=front.count("\n") + 4 + blank,
    )


def build(kind: type[Kind], document: Document, data: Any, *path: str | int) -> Kind:
    """A part of the course from a part of a file; `path` says where in the file `data` lies.

    Raises:
        ContentError: `data` breaks the type; the message names the line of the first fault.
    """
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(key) for key in first["loc"])
        message = f"{where}: {first['msg']}" if where else first["msg"]
        raise document.fault(message, *path, *first["loc"]) from error


def _name(path: Path, root: Path) -> str:
    return f"{root.name}/{path.relative_to(root).as_posix()}"


def _parse(text: str, file: str, first_line: int = 1) -> Document:
    loader = yaml.CSafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise ContentError(file, first_line, "the file is empty")
        data = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark else 0
        raise ContentError(file, line + first_line, error.problem or "not YAML") from error
    finally:
        loader.dispose()
    _refuse_double_keys(node, file, first_line)
    return Document(file=file, data=data, node=node, first_line=first_line)


def _refuse_double_keys(node: yaml.Node, file: str, first_line: int) -> None:
    """YAML keeps the last of two equal keys without a word; here that is a fault."""
    for parent in _mappings(node):
        seen: set[str] = set()
        for key, _ in parent.value:
            if key.value in seen:
                line = key.start_mark.line + first_line
                raise ContentError(file, line, f"{key.value}: stands twice")
            seen.add(key.value)


def _mappings(node: yaml.Node) -> Iterator[yaml.MappingNode]:
    if isinstance(node, yaml.MappingNode):
        yield node
        for _, value in node.value:
            yield from _mappings(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _mappings(value)


def _child(node: yaml.Node, key: str | int) -> tuple[yaml.Node, int] | None:
    """The part under a key or index and its line; None where there is none."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == key:
                return value, name.start_mark.line
    elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key], node.value[key].start_mark.line
    return None
