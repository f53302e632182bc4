"""A file as plain data that still knows where everything stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from sgfleet.source.lines import Lines
from sgfleet.source.nodes import Node, grow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.findings import Place

Route = tuple[str | int, ...]
"""A way into a document: ("services", "sglang-kimi", "flags", "tp-size"), with numbers for the items of a sequence."""

Part = Literal["key", "value"]


@dataclass(frozen=True)
class Document:
    """One YAML file.

    `data` is a mapping of plain Python values; `path` is relative to the root, with forward slashes. `events` are
    libyaml's, with a mark at each: what stands where is worked out from them when somebody asks, which for most files
    is never. `respelled`: a number is written otherwise than Python prints it (`4.00`, `1e3`, `0x1F`).
    """

    path: str
    text: str
    data: dict[str, Any]
    events: Sequence[Any] = field(repr=False, compare=False)
    respelled: bool = False

    @cached_property
    def lines(self) -> Lines:
        """The text by its lines."""
        return Lines(self.path, self.text)

    @cached_property
    def root(self) -> Node:
        """The whole, as a tree of nodes with their marks."""
        return grow(self.events)

    def node(self, route: Route) -> Node | None:
        """The value at the end of the route; None where it leads nowhere."""
        node: Node | None = self.root
        for step in route:
            if node is None:
                return None
            node = node.child(step)
        return node

    def place(self, route: Route = (), part: Part = "value") -> Place:
        """Where the value (or the key) at the end of the route stands.

        A route that leads nowhere gives the key of the nearest ancestor that is there: what is missing is missing below
        it. Of a mapping or a sequence over several lines, it is the first line.
        """
        node = self.root
        key: Node | None = None
        for step in route:
            below = node.child(step)
            if below is None:
                return self._of(key or self.root)
            key = node.key(step)
            node = below
        return self._of(key if part == "key" and key is not None else node)

    def extent(self, route: Route) -> Place:
        """The place of a value up to its real end, which may stand some lines further down."""
        place, node = self.place(route), self.node(route)
        return place if node is None else place._replace(end_line=node.end.line + 1, end_column=node.end.column + 1)

    def holds(self, route: Route) -> bool:
        """Whether the route leads to a value, null included."""
        value: Any = self.data
        for step in route:
            if isinstance(value, dict):
                if step not in value:
                    return False
            elif not isinstance(value, list) or not isinstance(step, int) or not 0 <= step < len(value):
                return False
            value = value[step]
        return True

    def source_text(self, route: Route) -> str | None:
        """A plain scalar exactly as it is written (`0.10`, `1e3`, `0x1F`); None for anything else."""
        node = self.node(route)
        return node.written if node is not None and node.plain else None

    def quoted(self, route: Route) -> bool:
        """Whether a scalar stands in quotes or as a block: it is text whatever it looks like."""
        node = self.node(route)
        return node is not None and node.written is not None and not node.plain

    def _of(self, node: Node) -> Place:
        return self.lines.between(node.start, node.end)
