"""Text -> a `Document`: one pass over libyaml's events, no recursion, everything that is wrong with a place.

libyaml recurses in C when it composes nested nodes, and PyYAML's constructor knows YAML 1.1 and keeps the last of two
equal keys in silence. So the events are put together here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from sgfleet.source import problems
from sgfleet.source.decode import decode
from sgfleet.source.document import Document, Node, place_between, whole_file
from sgfleet.source.problems import SourceError, problem
from sgfleet.source.scalars import NumberRangeError, resolve
from sgfleet.source.syntax import explain

if TYPE_CHECKING:
    from sgfleet.findings import Finding

DEEPEST: Final = 64
"""Levels of nesting. A host's file needs 5; JSON values of flags need some more."""

MOST_FINDINGS: Final = 100
"""After so many the rest of the file is not worth reading."""


def read_text(raw: bytes | str, path: str) -> Document:
    """The document in `raw`; `path` is only for places.

    Raises:
        SourceError: with one finding or more.
    """
    text = decode(raw, path)
    reader = _Reader(text, path)
    node = reader.read()
    if not reader.findings and (node is None or not isinstance(node.data, dict)):
        message = (
            "the file is empty" if node is None or node.data is None else "the file holds no mapping of keys to values"
        )
        place = place_between(path, text, node.start, None) if node is not None else whole_file(path, text)
        reader.findings.append(
            problem(problems.NO_MAPPING, message, place, "write keys and values, such as `host: name`")
        )
    if reader.findings or node is None:
        raise SourceError(reader.findings)
    return Document(path, text, node.data, node)


class _Reader:
    """Puts the events of one text together."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.findings: list[Finding] = []
        self.stack: list[_Open] = []
        self.root: Node | None = None
        self.documents = 0

    def read(self) -> Node | None:
        """The first document's node; findings collect in `findings`."""
        parser = yaml.CBaseLoader(self.text)
        try:
            while len(self.findings) < MOST_FINDINGS:
                event: Any = parser.get_event()
                kind = type(event)
                if kind is ScalarEvent:
                    self._look(event)
                    self._put(self._scalar(event))
                elif kind is MappingStartEvent or kind is SequenceStartEvent:
                    self._look(event)
                    if not self._open(event):
                        break
                elif kind is MappingEndEvent or kind is SequenceEndEvent:
                    self._put(self.stack.pop().closed(event.end_mark))
                elif kind is AliasEvent:
                    self._say(problems.ANCHOR, f"an alias, *{event.anchor}", event, "write the value out")
                    self._put(Node(None, event.start_mark, event.end_mark))
                elif kind is DocumentStartEvent:
                    if not self._document(event):
                        break
                elif kind is StreamEndEvent:
                    break
        except yaml.YAMLError as error:
            self.findings.append(explain(error, self.text, self.path))
        finally:
            parser.dispose()
        return self.root

    def _say(self, code: str, message: str, event: Any, help_: str) -> None:
        place = place_between(self.path, self.text, event.start_mark, event.end_mark)
        self.findings.append(problem(code, message, place, help_))

    def _look(self, event: Any) -> None:
        """What a node may not carry."""
        if event.anchor is not None:
            self._say(problems.ANCHOR, f"an anchor, &{event.anchor}", event, "write the value out where it is needed")
        if event.tag is not None:
            self._say(problems.TAG, f"a tag, {event.tag}", event, "leave it out: quotes make text, digits make numbers")

    def _document(self, event: Any) -> bool:
        self.documents += 1
        if event.version is not None or event.tags:
            self._say(problems.DIRECTIVE, "a YAML directive", event, "leave the line that begins with % out")
        if self.documents > 1:
            self._say(problems.SEVERAL_DOCUMENTS, "a second document in one file", event, "one file holds one document")
            return False
        return True

    def _open(self, event: Any) -> bool:
        if len(self.stack) >= DEEPEST:
            message = f"nested deeper than {DEEPEST} levels"
            self._say(problems.TOO_DEEP, message, event, "no value of a host's file is nested like this")
            return False
        self.stack.append(_OpenMapping(self, event) if type(event) is MappingStartEvent else _OpenSequence(event))
        return True

    def _scalar(self, event: Any) -> Node:
        text = event.value
        plain = event.implicit[0]
        data: Any = text
        if plain:
            try:
                data = resolve(text)
            except NumberRangeError as error:
                self._say(problems.NUMBER_RANGE, str(error), event, "write it in quotes where text is meant")
        return Node(data, event.start_mark, event.end_mark, text, plain=plain)

    def _put(self, node: Node) -> None:
        if self.stack:
            self.stack[-1].put(node)
        else:
            self.root = node


class _OpenSequence:
    """A sequence whose end has not come yet."""

    def __init__(self, event: Any) -> None:
        self.start = event.start_mark
        self.items: list[Node] = []

    def put(self, node: Node) -> None:
        self.items.append(node)

    def closed(self, end: Any) -> Node:
        node = Node([item.data for item in self.items], self.start, end)
        node.children = self.items
        return node


class _OpenMapping:
    """A mapping whose end has not come yet; keys and values arrive in turn."""

    def __init__(self, reader: _Reader, event: Any) -> None:
        self.reader = reader
        self.start = event.start_mark
        self.key: Node | None = None
        self.keys: dict[str, Node] = {}
        self.values: dict[str, Node] = {}

    def put(self, node: Node) -> None:
        if self.key is None:
            self.key = node
            return
        key, self.key = self.key, None
        name = self._name(key)
        if name is None:
            return
        if name in self.keys:
            first = self.keys[name].start.line + 1
            self._say(
                problems.DUPLICATE_KEY, f"the key {name} stands here again", key, f"it stands in line {first} already"
            )
            return
        self.keys[name] = key
        self.values[name] = node

    def _name(self, key: Node) -> str | None:
        if key.plain and key.written == "<<":
            self._say(problems.ANCHOR, "a merge key, <<", key, "write the keys out")
            return None
        if isinstance(key.data, str):
            return key.data
        if key.written is None:
            self._say(problems.KEY_NO_TEXT, "a key that is a mapping or a sequence", key, "keys are text")
        else:
            written = key.written or "(nothing)"
            kind = "null" if key.data is None else type(key.data).__name__
            message = f"the key {written} is read as {kind}, and keys are text"
            self._say(problems.KEY_NO_TEXT, message, key, f'write "{key.written}" in quotes')
        return None

    def _say(self, code: str, message: str, node: Node, help_: str) -> None:
        place = place_between(self.reader.path, self.reader.text, node.start, node.end)
        self.reader.findings.append(problem(code, message, place, help_))

    def closed(self, end: Any) -> Node:
        node = Node({name: value.data for name, value in self.values.items()}, self.start, end)
        node.keys, node.children = self.keys, self.values
        return node


_Open = _OpenMapping | _OpenSequence
