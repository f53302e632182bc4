"""libyaml's events of one sound document as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from yaml import Mark

_STARTS: Final = (MappingStartEvent, SequenceStartEvent)
_ENDS: Final = (MappingEndEvent, SequenceEndEvent)


class Node:
    """A scalar, a mapping or a sequence. `event` is the one that begins it; `end` is where it ends.

    Of a block mapping or sequence libyaml's end is the beginning of what follows, behind blank lines and comments.
    """

    __slots__ = ("end", "entries", "event", "items")

    def __init__(self, event: Any) -> None:
        self.event = event
        self.end: Mark = event.end_mark
        self.entries: dict[str, tuple[Node, Node]] | None = {} if type(event) is MappingStartEvent else None
        self.items: list[Node] | None = [] if type(event) is SequenceStartEvent else None

    @property
    def start(self) -> Mark:
        """Its first character: an opening quote, a `[`, the `|` of a block, the first key of a block mapping."""
        start: Mark = self.event.start_mark
        return start

    @property
    def written(self) -> str | None:
        """A scalar's text, without quotes and with escapes resolved; None for a mapping or a sequence."""
        return self.event.value if type(self.event) is ScalarEvent else None

    @property
    def plain(self) -> bool:
        """Whether it is a scalar without quotes, whose text decides what it is."""
        return type(self.event) is ScalarEvent and self.event.implicit[0]

    @property
    def style(self) -> str:
        """Of a scalar `'`, `"`, `|`, `>` or nothing; of the others `{` and `[`, or nothing for the block style."""
        if type(self.event) is ScalarEvent:
            return "" if self.plain else str(self.event.style)
        if not self.event.flow_style:
            return ""
        return "[" if self.entries is None else "{"

    def child(self, step: str | int) -> Node | None:
        """The value of that key or the item with that number."""
        if self.entries is not None and isinstance(step, str):
            entry = self.entries.get(step)
            return None if entry is None else entry[1]
        if self.items is not None and isinstance(step, int) and 0 <= step < len(self.items):
            return self.items[step]
        return None

    def key(self, step: str | int) -> Node | None:
        """The node of a mapping's key; None for the items of a sequence, which have none."""
        entry = self.entries.get(step) if self.entries is not None and isinstance(step, str) else None
        return None if entry is None else entry[0]

    def scalars(self) -> Iterator[Node]:
        """All scalars in it, keys included, in the order of the text."""
        pending = [self]
        while pending:
            node = pending.pop()
            if node.entries is not None:
                pending += [each for entry in reversed(node.entries.values()) for each in reversed(entry)]
            elif node.items is not None:
                pending += reversed(node.items)
            else:
                yield node


def grow(events: Iterable[Any]) -> Node:
    """The root of a document that the reader has accepted: keys are text, and each stands once."""
    open_: list[tuple[Node, Node | None]] = []
    here: Node | None = None
    key: Node | None = None
    for event in events:
        kind = type(event)
        if kind in _STARTS:
            if here is not None:
                open_.append((here, key))
            here, key = Node(event), None
            continue
        if kind is ScalarEvent:
            node = Node(event)
        elif kind in _ENDS and here is not None:
            node, node.end = here, event.end_mark
            if not open_:
                return node
            here, key = open_.pop()
        else:
            continue
        if here is None:
            return node
        if here.items is not None:
            here.items.append(node)
        elif here.entries is not None:
            if key is None:
                key = node
            else:
                here.entries[str(key.written)] = (key, node)
                key = None
    raise ValueError("the events of no whole document")
