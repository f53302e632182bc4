"""Text -> a `Document`: one pass over libyaml's events, no recursion, everything that is wrong with a place.

libyaml recurses in C when it composes nested nodes, and PyYAML's constructor knows YAML 1.1 and keeps the last of two
equal keys in silence. So the events are put together here. The data is built at once; the tree of marks is left to
`Document.root`, because most documents are asked for no place at all.
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
from sgfleet.source.document import Document
from sgfleet.source.lines import Lines
from sgfleet.source.lookalike import tabs, typographic
from sgfleet.source.problems import SourceError, cut, problem
from sgfleet.source.scalars import NumberRangeError, kind_of, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yaml import Event

    from sgfleet.findings import Finding, Place
    from sgfleet.source.scalars import Scalar

DEEPEST: Final = 64
"""Levels of nesting. A host's file needs 5; JSON values of flags need some more."""

MOST_EVENTS: Final = 100_000
"""Keys, values, beginnings and ends: a host's file has about 100. So many take 0.2 s and 40 MB."""

MOST_FINDINGS: Final = 100
"""After so many the rest of the file is not worth reading."""


_WORDS: Final[dict[str, Scalar]] = {}
"""Plain scalars that were read before, with their values: the files of a fleet share their keys and most values.

Only what is written as Python prints it stands here, so a document of such words is not respelled.
"""
_MOST_WORDS: Final = 5000
_LONGEST_WORD: Final = 100

_CORE_TAG: Final = "tag:yaml.org,2002:"
_AFTER_SIGN: Final = frozenset(" \t\r\n,[]{}")


def read_text(raw: bytes | str, path: str) -> Document:
    """The document in `raw`; `path` is only for places.

    Raises:
        SourceError: with one finding or more, from the top of the file to its end.
    """
    text = decode(raw, path)
    reader = _Reader(Lines(path, text))
    data = reader.read()
    if reader.findings:
        raise SourceError(sorted(reader.findings, key=lambda finding: finding.order))
    if not isinstance(data, dict):
        raise SourceError([_no_mapping(reader, data)])
    return Document(path, text, data, reader.events, reader.respelled)


def _no_mapping(reader: _Reader, data: Any) -> Finding:
    message = "the file is empty" if data is None else "the file holds no mapping of keys to values"
    first = next((event for event in reader.events if type(event) in (ScalarEvent, SequenceStartEvent)), None)
    place = reader.lines.point(0, 0) if first is None else reader.between(first, first)
    return problem(problems.NO_MAPPING, message, place, "write keys and values, such as `host: kimi-01`")


class _EnoughError(Exception):
    """More is wrong than anybody will read."""


class _Reader:
    """Puts the events of one text together."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.findings: list[Finding] = []
        self.events: list[Any] = []
        self.respelled = False
        self._documents = 0

    def read(self) -> Any:
        """The data of the document; what is wrong collects in `findings`."""
        top = _Sequence()
        parser = yaml.CBaseLoader(self.lines.text)
        try:
            self._build(parser, top)
        except yaml.YAMLError as error:
            from sgfleet.source.syntax import explain  # only a broken file needs it

            found = explain(error, self.lines, self.events)
            if found.place.line not in {each.place.line for each in self.findings}:  # else it follows from that one
                self.findings.append(found)
        except _EnoughError:
            return None
        finally:
            parser.dispose()
        if "\t" in self.lines.text:
            self.findings += tabs(self.lines, self.events, self.findings)
        return top.data[0] if top.data else None

    def _build(self, parser: yaml.CBaseLoader, top: _Sequence) -> None:
        next_event, events = parser.get_event, self.events
        keep = events.append
        watchful = not self.lines.text.isascii()
        words = _WORDS
        here: _Mapping | _Sequence = top
        open_: list[_Mapping | _Sequence] = []
        while len(events) < MOST_EVENTS:
            event: Any = next_event()
            keep(event)
            kind = type(event)
            if kind is ScalarEvent:
                if event.anchor is not None or event.tag is not None or watchful:
                    self._look(event)
                value = event.value
                if event.implicit[0]:
                    value = words[value] if value in words else self._resolved(event)
                here.put(value, event)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                done, here = here, open_.pop()
                here.put(done.data, done.event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                open_.append(here)
                here = _Mapping(self, event) if kind is MappingStartEvent else _Sequence(event)
                self._look(event)
                if len(open_) > DEEPEST:
                    message = f"nested deeper than {DEEPEST} levels"
                    self.say(problems.TOO_DEEP, message, event, "no value of a host's file is nested like this")
                    return
            elif kind is AliasEvent:
                self.say(problems.ALIAS, f"an alias, *{cut(event.anchor)}", event, "write the value out")
                here.put(None, event)
            elif self._is_last(event, kind):
                return
        message = f"more than {MOST_EVENTS:,} keys and values"
        self.say(problems.TOO_LARGE, message, events[-1], "split the host's services over hosts")

    def say(self, code: str, message: str, event: Any, help_: str, related: Sequence[tuple[Place, str]] = ()) -> None:
        """Report what is wrong at an event."""
        self._tell(code, message, self.between(event, event), help_, related)

    def _tell(
        self, code: str, message: str, place: Place, help_: str, related: Sequence[tuple[Place, str]] = ()
    ) -> None:
        if len(self.findings) == MOST_FINDINGS:
            message = f"more problems than the {MOST_FINDINGS} that are shown"
            self.findings.append(problem(problems.TOO_MANY, message, place, "mend those first"))
            raise _EnoughError
        self.findings.append(problem(code, message, place, help_, related))

    def between(self, first: Any, last: Any) -> Place:
        """The place from one event to another."""
        return self.lines.between(first.start_mark, last.end_mark)

    def _sign(self, sign: str, event: Any) -> Place:
        """The place of an anchor or a tag, which stand before their value in either order."""
        start = self.lines.text.index(sign, event.start_mark.index)
        end = next((at for at in range(start, len(self.lines.text)) if self.lines.text[at] in _AFTER_SIGN), start + 1)
        return self.lines.at(start, end - start)

    def _look(self, event: Any) -> None:
        """What a node may not carry."""
        if event.anchor is not None:
            help_ = "write the value out where it is needed"
            self._tell(problems.ANCHOR, f"an anchor, &{cut(event.anchor)}", self._sign("&", event), help_)
        if event.tag is not None:
            help_ = "leave it out: quotes make text, digits make numbers"
            message = f"a tag, {cut(event.tag.replace(_CORE_TAG, '!!'))}"
            self._tell(problems.TAG, message, self._sign("!", event), help_)
        if type(event) is ScalarEvent and event.implicit[0] and (found := typographic(event.value)):
            message, help_ = found
            self.say(problems.LOOK_ALIKE, message, event, help_)

    def _is_last(self, event: Any, kind: type[Event]) -> bool:
        """Looks at what stands around documents; whether there is no more to read."""
        if kind is not DocumentStartEvent:
            return kind is StreamEndEvent
        self._documents += 1
        if event.version is not None or event.tags:
            self.say(problems.DIRECTIVE, "a YAML directive", event, "leave the line that begins with % out")
        if self._documents > 1:
            self.say(problems.SEVERAL_DOCUMENTS, "a second document in one file", event, "one file holds one document")
        return self._documents > 1

    def _resolved(self, event: Any) -> Any:
        try:
            value = resolve(event.value)
        except NumberRangeError as error:
            self.say(problems.NUMBER_RANGE, str(error), event, "write it in quotes where text is meant")
            return event.value
        if isinstance(value, int | float) and not isinstance(value, bool) and str(value) != event.value:
            self.respelled = True
            return value
        if len(_WORDS) < _MOST_WORDS and len(event.value) <= _LONGEST_WORD:
            _WORDS[event.value] = value
        return value


class _Sequence:
    """A sequence whose end has not come yet."""

    __slots__ = ("data", "event")

    def __init__(self, event: Any = None) -> None:
        self.event = event
        self.data: list[Any] = []

    def put(self, value: Any, _event: Any) -> None:
        """The next item."""
        self.data.append(value)


class _Mapping:
    """A mapping whose end has not come yet; keys and values arrive in turn."""

    __slots__ = ("_key", "_keys", "_reader", "data", "event")

    def __init__(self, reader: _Reader, event: Any) -> None:
        self.event = event
        self.data: dict[str, Any] = {}
        self._reader = reader
        self._key: str | None = None
        self._keys: dict[str, Any] = {}

    def put(self, value: Any, event: Any) -> None:
        """The next key, or the value of the key that came last."""
        if self._key is not None:
            self.data[self._key] = value
            self._key = None
        elif type(value) is str and value not in self._keys and (value != "<<" or not event.implicit[0]):
            self._keys[value] = event
            self._key = value
        else:
            self._refuse(value, event)
            self._key = ""  # the document will not be used

    def _refuse(self, value: Any, event: Any) -> None:
        """A key that is no text, a merge, or one that stands there already."""
        say = self._reader.say
        if type(event) is not ScalarEvent:
            if type(event) is not AliasEvent:
                self._refuse_complex(event)
        elif value == "<<" and event.implicit[0]:
            say(problems.MERGE_KEY, "a merge key, <<", event, "write the keys out")
        elif type(value) is not str:
            written = cut(event.value)
            message = f"the key {written or '(nothing)'} is read as {kind_of(value)}, and keys are text"
            help_ = f'write "{written}", in quotes' if written else "write a key before the colon"
            say(problems.KEY_NO_TEXT, message, event, help_)
        else:
            first = self._keys[value]
            message = f"the key {cut(value)} stands here again"
            help_ = f"remove it, or the one in line {first.start_mark.line + 1}"
            say(problems.DUPLICATE_KEY, message, event, help_, [(self._reader.between(first, first), "first here")])

    def _refuse_complex(self, event: Any) -> None:
        help_ = "keys are text"
        if self._reader.lines.text.startswith("{{", max(0, event.start_mark.index - 1)):
            help_ = "put the whole value in quotes: { begins a mapping, and {{ }} fills nothing in here"
        self._reader.say(problems.KEY_NO_TEXT, "a key that is a mapping or a sequence", event, help_)
