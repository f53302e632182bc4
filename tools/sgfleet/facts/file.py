"""The text of facts.yaml with some of its sections changed: every other line stays as a person wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.facts.merge import ORDER
from sgfleet.source import emit
from sgfleet.source.problems import SourceError
from sgfleet.source.read import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.source.document import Document
    from sgfleet.source.nodes import Node

_HEAD: Final = "# What this machine is, as `sgfleet facts` read it; commit what it writes.\n"
_GIB: Final = 2**30


class LayoutError(Exception):
    """The file is laid out in a way in which it cannot be changed without touching what a person wrote."""


def written(document: Document | None, sections: dict[str, Any], *, path: str, first: str = "") -> str:
    """The file's text with these sections; one that is None or empty goes, but for lists, where empty means none.

    Comments in lines of their own stay, those within a section that changes above it. Sections that are equal to what
    stands there keep their text. `first` stands above all else in a file that is begun.

    Raises:
        LayoutError: the file is no block mapping, or cannot be changed safely.
    """
    text = f"{first}{_HEAD}" if document is None else document.text
    if text and not text.endswith("\n"):
        text += "\n"
    if document is not None and document.root.style:
        raise LayoutError("the file is written as { }, not with a key a line")
    for key in ORDER:
        if key in sections:
            text = _with(text, key, sections[key], path)
    wanted = {**({} if document is None else document.data), **sections}
    wanted = {key: value for key, value in wanted.items() if not _absent(value)}
    try:
        found = read_text(text, path).data
    except SourceError as error:
        raise LayoutError(error.findings[0].message) from error
    if found != wanted and {k: v for k, v in found.items() if not _absent(v)} != wanted:
        raise LayoutError("what comes out is not what was meant")
    return text


def _absent(value: Any) -> bool:
    return value is None or value == {}


def _with(text: str, key: str, value: Any, path: str) -> str:
    lines = text.split("\n")[:-1]
    document = _read(text, path)
    node = document.root.child(key) if document else None
    if node is None or document is None:
        if _absent(value):
            return text
        at, blank = _place_for(document, key, lines)
        new = [*([""] if blank and at and lines[at - 1].strip() else []), *_section(key, value)]
        if blank and at < len(lines) and lines[at].strip():
            new.append("")
        return "\n".join([*lines[:at], *new, *lines[at:], ""])
    if document.data[key] == value and type(document.data[key]) is type(value):
        return text
    first, last = _lines_of(document, key, node)
    comments = [line.strip() for line in lines[first : last + 1] if line.lstrip().startswith("#")]
    new = [] if _absent(value) else list(_section(key, value))
    if key == "read" and not node.style:
        new = [_as_it_was(document, lines, line, value) for line in new]
    return "\n".join([*lines[:first], *comments, *new, *lines[last + 1 :], ""])


def _read(text: str, path: str) -> Document | None:
    """None for a file that holds only comments so far."""
    try:
        return read_text(text, path)
    except SourceError:
        if all(not line.strip() or line.startswith("#") for line in text.split("\n")):
            return None
        raise LayoutError("what comes out cannot be read") from None


def _lines_of(document: Document, key: str, node: Node) -> tuple[int, int]:
    name = document.root.key(key)
    assert name is not None  # noqa: S101 - a value has its key
    return name.start.line, max(name.end.line, *(_last_line(each) for each in _parts(node)))


def _parts(node: Node) -> Iterator[Node]:
    yield node
    for each in node.items or ():
        yield from _parts(each)
    for key, value in (node.entries or {}).values():
        yield key
        yield from _parts(value)


def _last_line(node: Node) -> int:
    """Where it really ends: libyaml lets blocks end where the next thing begins."""
    block = (node.written is None and not node.style) or node.style in ("|", ">")
    if not block:
        return int(node.end.line)
    return int(node.start.line) if node.written is None else int(node.end.line) - 1


def _as_it_was(document: Document, lines: list[str], line: str, value: dict[str, Any]) -> str:
    """A line of `read`: its own text where the reading is the same as before."""
    part = line.strip().partition(":")[0]
    name, before = document.node(("read",)), document.data["read"]
    key = name.key(part) if name is not None else None
    same = key is not None and before.get(part) == value.get(part)
    node = document.node(("read", part))
    if not same or key is None or node is None or _last_line(node) != key.start.line or not node.style:
        return line
    return lines[key.start.line]


def _place_for(document: Document | None, key: str, lines: list[str]) -> tuple[int, bool]:
    """The line before which a new section comes, and whether a blank line sets it apart."""
    blank = key not in ("format", "host")
    if document is None:
        return len(lines), blank
    for before in reversed(ORDER[: ORDER.index(key)]):
        node = document.root.child(before)
        if node is not None:
            return _lines_of(document, before, node)[1] + 1, blank
    first, _ = next(iter((document.root.entries or {}).values()))
    return first.start.line, blank


def _section(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, list) and value:
        yield f"{key}:"
        for entry in value:
            yield f"  - {emit.flow(entry)}"
    elif key == "read" and isinstance(value, dict):
        yield f"{key}:"
        for part, reading in value.items():
            yield f"  {part}: {emit.flow(reading)}"
    elif key == "memory" and isinstance(value, dict):
        yield f"{key}:"
        for name, size in value.items():
            line = next(iter(emit.block({name: size}, emit.INDENT)))
            big = name.endswith("-bytes") and isinstance(size, int) and size >= _GIB
            yield f"{line}  # {size / _GIB:.1f} GiB" if big else line
    else:
        yield from emit.block({key: value}, 0)
