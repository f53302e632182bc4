"""libyaml's events of one sound document as a tree, of which only the part that somebody asks about is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from yaml import Mark

_STARTS: Final = frozenset({MappingStartEvent, SequenceStartEvent})
_ENDS: Final = frozenset({MappingEndEvent, SequenceEndEvent})


class Node:
    """A scalar, a mapping or a sequence. `event` is the one that begins it.

    Of a block mapping or sequence libyaml's end is the beginning of what follows, behind blank lines and comments.
    """

    __slots__ = ("_at", "_below", "_closing", "_events", "_steps", "event")

    def __init__(self, events: Sequence[Any], closing: Mapping[int, int], at: int) -> None:
        self.event = events[at]
        self._events = events
        self._closing = closing
        self._at = at
        self._steps: dict[str | int, int] | None = None
        self._below: dict[int, Node] = {}

    @property
    def start(self) -> Mark:
        """Its first character: an opening quote, a `[`, the `|` of a block, the first key of a block mapping."""
        start: Mark = self.event.start_mark
        return start

    @property
    def end(self) -> Mark:
        """Where it ends."""
        end: Mark = self._events[self._closing.get(self._at, self._at)].end_mark
        return end

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
        return "{" if self._is_mapping else "["

    @property
    def entries(self) -> dict[str, tuple[Node, Node]] | None:
        """Of a mapping: key -> the nodes of the key and of its value, as they stand; None for anything else."""
        if not self._is_mapping:
            return None
        return {str(step): (self._node(at), self._node(at + 1)) for step, at in self._positions().items()}

    @property
    def items(self) -> list[Node] | None:
        """Of a sequence: its items; None for anything else."""
        if type(self.event) is not SequenceStartEvent:
            return None
        return [self._node(at) for at in self._positions().values()]

    def child(self, step: str | int) -> Node | None:
        """The value of that key or the item with that number."""
        at = self._positions().get(step)
        return None if at is None else self._node(at + 1 if self._is_mapping else at)

    def key(self, step: str | int) -> Node | None:
        """The node of a mapping's key; None for the items of a sequence, which have none."""
        at = self._positions().get(step) if self._is_mapping else None
        return None if at is None else self._node(at)

    def scalars(self) -> Iterator[Node]:
        """All scalars in it, keys included, in the order of the text."""
        for at in range(self._at, self._closing.get(self._at, self._at) + 1):
            if type(self._events[at]) is ScalarEvent:
                yield self._node(at)

    @property
    def _is_mapping(self) -> bool:
        return type(self.event) is MappingStartEvent

    def _node(self, at: int) -> Node:
        node = self._below.get(at)
        if node is None:
            node = self._below[at] = Node(self._events, self._closing, at)
        return node

    def _positions(self) -> dict[str | int, int]:
        """Key or number -> the event of the key or of the item that begins it."""
        if self._steps is None:
            self._steps = {}
            events, closing, at = self._events, self._closing, self._at + 1
            last = closing.get(self._at, self._at)
            while at < last:
                if self._is_mapping:
                    self._steps[events[at].value] = at
                    at += 1
                else:
                    self._steps[len(self._steps)] = at
                at = closing.get(at, at) + 1
        return self._steps


def grow(events: Sequence[Any]) -> Node:
    """The root of a document that the reader has accepted: keys are text, and each stands once."""
    closing: dict[int, int] = {}
    open_: list[int] = []
    root: int | None = None
    for at, event in enumerate(events):
        kind = type(event)
        if kind in _STARTS:
            open_.append(at)
        elif kind in _ENDS:
            closing[open_.pop()] = at
        elif kind is not ScalarEvent:
            continue
        if root is None:
            root = at
    if root is None or open_:
        raise ValueError("the events of no whole document")
    return Node(events, closing, root)
