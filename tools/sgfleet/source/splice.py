"""Where in a file's text an edit cuts, and what it puts there. Indices count characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.source import emit

if TYPE_CHECKING:
    from sgfleet.source.document import Document, Route
    from sgfleet.source.nodes import Node

_BREAK: Final = re.compile("\r\n|\n|\r")
_HEADER: Final = re.compile("[|>][-+0-9]*")
_COLON: Final = re.compile(r"\s*:")
_COMMA: Final = re.compile(r"\s*,")
_BLANKS: Final = " \t\r\n"


class UnsafeError(Exception):
    """The layout of the file stands in the way, at `index` where that is known."""

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class Cut(NamedTuple):
    """The characters from `start` to `end` give way to `text`."""

    start: int
    end: int
    text: str


def replacement(document: Document, route: Route, value: Any) -> list[Cut]:
    """How the value at the end of the route becomes another one.

    Raises:
        UnsafeError: it is not there, or a comment would be lost.
        TypeError, ValueError: YAML cannot hold the value.
    """
    text, node = document.text, _existing(document, route)
    in_flow = _in_flow(document, route)
    if isinstance(value, dict | list | tuple):
        new = emit.flow(value)
    else:
        new = emit.scalar(value, quote=node.style if node.style in ("'", '"') else "", in_flow=in_flow)
    key = _key(document, route)
    start, end = node.start.index, node.end.index
    if node.style in ("|", ">"):
        header = _HEADER.match(text, start)
        assert header is not None  # noqa: S101  # a block begins with its sign
        return [Cut(*header.span(), new), Cut(_line_end(text, start), _content_end(text, node), "")]
    if node.written == "" and node.plain:
        return [_filled(text, key, node, new)]
    if node.written is None:
        _no_comments(text, node)
        if not node.style:
            if key is None:
                raise UnsafeError("an item of a list that spans lines: edit the file by hand", start)
            colon = _colon(text, key)
            _no_comment(text, colon, start)
            return [Cut(colon, _tail(text, node), f" {new}")]
    return [Cut(start, end, new)]


def insertion(document: Document, route: Route, value: Any) -> list[Cut]:
    """How a key that is not there comes behind the last one of its mapping.

    Raises:
        UnsafeError: it is there, or what should hold it is no mapping.
        TypeError, ValueError: YAML cannot hold the value, or a key.
    """
    if document.holds(route):
        raise UnsafeError(f"{route[-1]} stands there already")
    depth = next(length for length in range(len(route) - 1, -1, -1) if document.holds(route[:length]))
    for step in reversed(route[depth + 1 :]):
        value = {step: value}
    above, entries = route[:depth], {route[depth]: value}
    text, parent = document.text, _existing(document, above)
    if parent.plain and parent.written is not None and document.source_text(above) in ("", "~", "null"):
        if parent.written == "" and not _in_flow(document, above) and (key := _key(document, above)) is not None:
            _colon(text, key)
            return [_below(text, parent, entries, key.start.column + emit.INDENT)]
        return replacement(document, above, entries)
    if parent.entries is None:
        raise UnsafeError("a key can only be added to a mapping", parent.start.index)
    if parent.style:
        pairs = emit.flow(entries)[1:-1]
        if not parent.entries:
            return [Cut(parent.start.index + 1, parent.start.index + 1, pairs)]
        *_, (_, last) = parent.entries.values()
        return [Cut(last.end.index, last.end.index, f", {pairs}")]
    first, _ = next(iter(parent.entries.values()))
    return [_below(text, parent, entries, first.start.column)]


def removal(document: Document, route: Route) -> list[Cut]:
    """How a key goes, with its value.

    Raises:
        UnsafeError: it is not there, or a comment would be lost that belongs to something else.
    """
    text, node = document.text, _existing(document, route)
    parent, key = _existing(document, route[:-1]), _key(document, route)
    if key is None or parent.entries is None:
        raise UnsafeError("only a key of a mapping can be removed", node.start.index)
    names = list(parent.entries)
    at = names.index(str(route[-1]))
    start = key.start.index
    following = parent.entries[names[at + 1]][0].start.index if at + 1 < len(names) else None
    if len(names) == 1:
        return _emptied(document, route[:-1], parent, key)
    if parent.style:
        before = parent.entries[names[at - 1]][1].end.index
        span = (start, following) if following is not None else (before, node.end.index)
        _no_comments(text, node)
        _no_comment(text, node.end.index, following or node.end.index)
        _no_comment(text, before if following is None else start, start)
        return [Cut(*span, "")]
    line = _line_start(text, start)
    if not text[line:start].strip(" "):
        return [Cut(line, _next_line(text, node), "")]
    if following is None:
        raise UnsafeError("the line holds more than this key: edit the file by hand", start)
    _no_comment(text, _tail(text, node), following)
    return [Cut(start, following, "")]


def _existing(document: Document, route: Route) -> Node:
    if (node := document.node(route)) is None:
        raise UnsafeError("nothing stands there")
    return node


def _key(document: Document, route: Route) -> Node | None:
    """The node of the last step's key; None for the whole document and for items of a sequence."""
    above = document.node(route[:-1]) if route else None
    return None if above is None else above.key(route[-1])


def _in_flow(document: Document, route: Route) -> bool:
    """Whether something around the value is in flow style, where commas and brackets divide."""
    nodes = (document.node(route[:length]) for length in range(len(route)))
    return any(node is not None and node.style in ("{", "[") for node in nodes)


def _filled(text: str, key: Node | None, node: Node, new: str) -> Cut:
    """A value where nothing is written: behind a colon, behind the dash of an item, or behind a lone key of a `{}`."""
    at = node.start.index
    if key is not None and _COLON.match(text, key.end.index) is None:
        return Cut(key.end.index, key.end.index, f": {new}")
    end = _line_end(text, at)
    if text[at:end].strip():
        end = at
    return Cut(at, end, new if text[at - 1] in _BLANKS else f" {new}")


def _emptied(document: Document, above: Route, parent: Node, key: Node) -> list[Cut]:
    """The only key of a mapping goes: `{}` is left."""
    text = document.text
    if parent.style:
        ((_, value),) = (parent.entries or {}).values()
        _no_comments(text, value)
        comma = _COMMA.match(text, value.end.index)
        return [Cut(key.start.index, comma.end() if comma else value.end.index, "")]
    _no_comments(text, parent)
    start, tail = key.start.index, _tail(text, parent)
    if (name := _key(document, above)) is not None:
        colon = _colon(text, name)
        if "#" not in text[colon:start]:
            return [Cut(colon, tail, " {}")]
    return [Cut(start, tail, "{}")]


def _below(text: str, node: Node, entries: dict[Any, Any], indent: int) -> Cut:
    """Lines that begin behind the last line of a node."""
    at = _next_line(text, node)
    line_break = _line_break(text, at)
    lines = list(emit.block(entries, indent))
    if at and text[at - 1] not in "\r\n":
        return Cut(at, at, "".join(line_break + line for line in lines))
    return Cut(at, at, "".join(line + line_break for line in lines))


def _line_break(text: str, index: int) -> str:
    """The break of the line that ends before the index, or of the first line."""
    found = _BREAK.search(text, _line_start(text, index - 1) if index else 0) or _BREAK.search(text)
    return found[0] if found else "\n"


def _colon(text: str, key: Node) -> int:
    """The index behind the colon of a key."""
    if (found := _COLON.match(text, key.end.index)) is None:
        raise UnsafeError("a key without a colon: edit the file by hand", key.start.index)
    return found.end()


def _last(node: Node) -> Node:
    """The scalar, or the sequence or mapping in flow style, with which a node ends."""
    while not node.style and (node.entries or node.items):
        node = node.items[-1] if node.items else list(node.entries.values())[-1][1] if node.entries else node
    return node


def _tail(text: str, node: Node) -> int:
    """The index behind the last character of a node; libyaml's own end may lie behind blank lines and comments."""
    last = _last(node)
    return _content_end(text, last) if last.style in ("|", ">") else last.end.index


def _content_end(text: str, node: Node) -> int:
    """The end of the last line of a block scalar that holds something, without its break."""
    body = text[node.start.index : node.end.index]
    return _line_end(text, node.start.index + len(body.rstrip(_BLANKS)) - 1)


def _next_line(text: str, node: Node) -> int:
    """The beginning of the line behind a node, or the end of the text."""
    last = _last(node)
    header = _HEADER.match(text, last.start.index) if last.style in ("|", ">") else None
    if header is not None and "+" in header[0]:
        return last.end.index  # all its blank lines belong to it
    found = _BREAK.search(text, _tail(text, node))
    return found.end() if found else len(text)


def _line_start(text: str, index: int) -> int:
    """The beginning of the line that holds a character."""
    return max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1


def _line_end(text: str, index: int) -> int:
    found = _BREAK.search(text, index)
    return found.start() if found else len(text)


def _no_comments(text: str, node: Node) -> None:
    """A comment between the scalars of a mapping or a sequence would be lost with it."""
    at = node.start.index
    for scalar in node.scalars():
        _no_comment(text, at, scalar.start.index)
        if scalar.style in ("|", ">"):
            _no_comment(text, scalar.start.index, _line_end(text, scalar.start.index))
        at = scalar.end.index
    _no_comment(text, at, max(at, _tail(text, node)))


def _no_comment(text: str, start: int, end: int) -> None:
    """Between scalars a # begins a comment and nothing else."""
    if (found := text.find("#", start, end)) >= 0:
        raise UnsafeError("a comment would be lost", found)
