"""A file as plain data that still knows where everything stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from sgfleet.findings import Place

if TYPE_CHECKING:
    from yaml import Mark

Route = tuple[str | int, ...]
"""A way into a document: ("services", "sglang-kimi", "flags", "tp-size"), with numbers for the items of a sequence."""

Part = Literal["key", "value"]

_LINE_BREAK: Final = re.compile("\r\n|\n|\r")


class Node:
    """One value with its marks. `keys` holds the nodes of a mapping's keys, `children` the values or items."""

    __slots__ = ("children", "data", "end", "keys", "plain", "start", "written")

    def __init__(self, data: Any, start: Mark, end: Mark, written: str | None = None, *, plain: bool = False) -> None:
        self.data = data
        self.start = start
        self.end = end
        self.written = written
        self.plain = plain
        self.keys: dict[str, Node] | None = None
        self.children: dict[str, Node] | list[Node] | None = None

    def child(self, step: str | int) -> Node | None:
        """The value of that key or the item with that number."""
        if isinstance(self.children, dict):
            return self.children.get(step) if isinstance(step, str) else None
        if isinstance(self.children, list) and isinstance(step, int) and 0 <= step < len(self.children):
            return self.children[step]
        return None


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file.

    `data` is a mapping of plain Python values; `path` is relative to the root, with forward slashes.
    """

    path: str
    text: str
    data: dict[str, Any]
    node: Node = field(repr=False, compare=False)

    def place(self, route: Route = (), part: Part = "value") -> Place:
        """Where the value (or the key) at the end of the route stands.

        A route that leads nowhere gives the key of the nearest ancestor that is there: what is missing is missing below
        it. Of a mapping or a sequence over several lines, it is the first line.
        """
        node: Node | None = self.node
        key: Node | None = None
        for step in route:
            below = node.child(step) if node is not None else None
            if below is None:
                return self._of(key or self.node)
            key = node.keys[step] if node is not None and node.keys is not None and isinstance(step, str) else None
            node = below
        return self._of(key if part == "key" and key is not None else node or self.node)

    def extent(self, route: Route) -> Place:
        """The place of a value up to its real end, which may stand some lines further down."""
        place, node = self.place(route), self._node(route)
        return place if node is None else replace(place, end_line=node.end.line + 1, end_column=node.end.column + 1)

    def holds(self, route: Route) -> bool:
        """Whether the route leads to a value, null included."""
        return self._node(route) is not None

    def source_text(self, route: Route) -> str | None:
        """A plain scalar exactly as it is written (`0.10`, `1e3`, `0x1F`); None for anything else."""
        node = self._node(route)
        return node.written if node is not None and node.plain else None

    def quoted(self, route: Route) -> bool:
        """Whether a scalar stands in quotes or as a block: it is text whatever it looks like."""
        node = self._node(route)
        return node is not None and node.written is not None and not node.plain

    def _node(self, route: Route) -> Node | None:
        node: Node | None = self.node
        for step in route:
            if node is None:
                return None
            node = node.child(step)
        return node

    def _of(self, node: Node) -> Place:
        return place_between(self.path, self.text, node.start, node.end)


def place_between(path: str, text: str, start: Mark, end: Mark | None) -> Place:
    """A place from libyaml's marks, which count from 0. What spans several lines is underlined in its first line."""
    line = line_of(text, start.line)
    if end is None or (end.line, end.column) <= (start.line, start.column):
        end_column = start.column + 1
    elif end.line > start.line:
        end_column = max(len(line.rstrip()), start.column + 1)
    else:
        end_column = end.column
    return Place(path, start.line + 1, start.column + 1, start.line + 1, end_column + 1, line)


def whole_file(path: str, text: str) -> Place:
    """The first line of a file, for what is wrong with all of it."""
    return Place(path, 1, 1, 1, 2, line_of(text, 0))


def line_of(text: str, number: int) -> str:
    """The line with that number, counted from 0, without its break; empty text beyond the end."""
    lines = _LINE_BREAK.split(text)
    return lines[number] if number < len(lines) else ""
