"""libyaml's syntax errors in words that an operator can act on, at the place where something has to change.

libyaml says where it gave up, which for the most common mistakes is some lines below the mistake. What stands around
that place, and the events that came before it, tell what was meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from sgfleet.source import problems
from sgfleet.source.lookalike import typographic
from sgfleet.source.problems import cut, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import yaml

    from sgfleet.findings import Finding
    from sgfleet.source.lines import Lines

_CONFLICT: Final = re.compile(r"<{7} |={7}$|>{7} |\|{7} ")
_KEY_WITHOUT_BLANK: Final = re.compile(r"(\s*(?:- +)*)([A-Za-z0-9_][A-Za-z0-9_.-]*):(?=[^\s/:])")
_ITEM_WITHOUT_BLANK: Final = re.compile(r"\s*-(?=[^\s-])")
_AFTER_KEY: Final = re.compile(r"\s*(?:- +)*[^\s#:'\"\[{][^#:'\"\[{]*:\s+")

_QUOTE_IT: Final = "put the value in quotes"

_SAID: Final = {
    "unknown escape character": (
        "an escape that YAML does not know in double quotes",
        "write the backslash twice, or use single quotes",
    ),
    "did not find expected hexdecimal number": (
        "an escape in double quotes that lacks digits",
        'write the backslash twice, or all digits: "\\x1b", "\\u00e9"',
    ),
    "invalid Unicode character escape code": (
        "an escape in double quotes that is no character",
        "write a character of Unicode that is no surrogate",
    ),
    "did not find expected '-' indicator": (
        "this is no item of the list above",
        "begin it with - and a blank, or indent it like the key that the list belongs to",
    ),
    "block sequence entries are not allowed": (
        "a list begins where a value stands",
        "begin the list on a line of its own, or put the value in quotes",
    ),
    "mapping keys are not allowed": ("a ? that begins a key where none can stand", _QUOTE_IT),
    "an indentation indicator equal to 0": ("a block cannot be indented by 0", "leave the digit out"),
    "did not find expected comment or line break": (
        "text behind the sign that begins a block",
        "begin the text in the next line; only + or - and a digit stand behind | and >",
    ),
    "incompatible YAML document": ("a directive for another YAML", "leave the line that begins with % out"),
    "did not find expected <document start>": ("more stands here than one value", "one file is one mapping of keys"),
}
"""Words of libyaml -> what it is, and what to do."""


class _Failure:
    """A syntax error with what stands around it. Lines and columns count from 0."""

    def __init__(self, error: yaml.YAMLError, lines: Lines, events: Sequence[Any]) -> None:
        words = [getattr(error, name, None) for name in ("problem", "context")]
        self.said = " ".join(filter(None, words)) or str(error).splitlines()[0]
        self.lines = lines
        mark: Any = getattr(error, "problem_mark", None)
        begun: Any = getattr(error, "context_mark", None)
        self.number: int = mark.line if mark is not None else 0
        self.column: int = mark.column if mark is not None else 0
        self.begun = (begun.line, begun.column) if begun is not None else (self.number, self.column)
        self._events = events
        self.last: Any = events[-1] if events else None

    @property
    def line(self) -> str:
        """The line where libyaml gave up."""
        return self.lines[self.number]

    def finding(self, message: str, help_: str, at: tuple[int, int] | None = None, code: str = "") -> Finding:
        """A finding of one character, by default where libyaml gave up; if it is further up, that place is related."""
        place = self.lines.point(*(at or (self.number, self.column)))
        here = self.lines.point(self.number, self.column)
        below = [(here, "the file stops making sense here")] if here.line > place.line and here.text else []
        return problem(code or problems.SYNTAX, message, place, help_, below)

    def unclosed(self) -> tuple[int, int] | None:
        """Where the innermost [ or { stands whose end has not come."""
        open_: list[Any] = []
        for event in self._events:
            if type(event) in (SequenceStartEvent, MappingStartEvent):
                open_.append(event)
            elif type(event) in (SequenceEndEvent, MappingEndEvent):
                open_.pop()
        mark = open_[-1].start_mark if open_ and open_[-1].flow_style else None
        return None if mark is None else (mark.line, mark.column)


def explain(error: yaml.YAMLError, lines: Lines, events: Sequence[Any]) -> Finding:
    """The finding for a syntax error. `events` are those that libyaml gave before it."""
    failure = _Failure(error, lines, events)
    for look in _LOOKS:
        if found := look(failure):
            return found
    for words, (message, help_) in _SAID.items():
        if words in failure.said:
            return failure.finding(message, help_)
    return failure.finding(f"this is not YAML: {failure.said}", "quote the value, or look at the indentation")


def _depth(failure: _Failure) -> Finding | None:
    if "nesting depth" not in failure.said:
        return None
    return failure.finding("nested too deep", "no value of a host's file is nested like this", code=problems.TOO_DEEP)


def _conflict(failure: _Failure) -> Finding | None:
    for number in range(min(failure.number + 1, len(failure.lines))):
        if _CONFLICT.match(failure.lines[number]):
            message = "a marker of a merge conflict"
            return failure.finding(message, "resolve the conflict", (number, 0), problems.CONFLICT_MARKER)
    return None


def _tab(failure: _Failure) -> Finding | None:
    for number in (failure.number, failure.begun[0]):
        line = failure.lines[number]
        at = line.find("\t")
        if at >= 0 and not line[:at].strip(" -?:"):
            return failure.finding("a tab in the indentation", "indent with blanks", (number, at), problems.TAB)
    return None


def _open_quote(failure: _Failure) -> Finding | None:
    if "end of stream" not in failure.said and "document indicator" not in failure.said:
        return None
    return failure.finding("a quote that is not closed", "close it, on the same line where possible", failure.begun)


def _bracket(failure: _Failure) -> Finding | None:
    for closing, opening, entries in (("]", "[", "items"), ("}", "{", "entries")):
        if f"',' or '{closing}'" in failure.said:
            if failure.begun[0] == failure.number and failure.column < len(failure.line):
                message = f"a comma or {closing} is missing before this"
                return failure.finding(message, f"put a comma between the {entries}, or {closing} behind the last one")
            message = f"a {opening} that is not closed, or that lacks a comma"
            help_ = f"put a comma between its {entries}, and {closing} behind the last one"
            return failure.finding(message, help_, failure.begun)
    return None


def _unquoted_start(failure: _Failure) -> Finding | None:
    if "cannot start any token" in failure.said:
        at = (failure.number, failure.column)
    elif any(words in failure.said for words in ("alphabetic or numeric", "tag", "directive")):
        at = failure.begun
    else:
        return None
    sign = failure.lines[at[0]][at[1] : at[1] + 1]
    return failure.finding(f"a {'value' if at[1] else 'line'} cannot begin with {sign}", _QUOTE_IT, at)


def _look_alike(failure: _Failure) -> Finding | None:
    for number in dict.fromkeys((failure.begun[0], failure.number)):
        line = failure.lines[number].strip(" ")
        if found := typographic(line):
            at = (number, failure.lines[number].index(line))
            return failure.finding(*found, at, problems.LOOK_ALIKE)
    return None


def _no_blank(failure: _Failure) -> Finding | None:
    """`key:value` or `-item`, which libyaml takes for a text that goes on in the next line."""
    if not any(words in failure.said for words in ("mapping values", "expected ':'", "expected key", "'-' indicator")):
        return None
    for number in dict.fromkeys((failure.begun[0], failure.number - 1, failure.number)):
        line = failure.lines[number] if number >= 0 else ""
        if found := _KEY_WITHOUT_BLANK.match(line):
            message = f"no blank after the colon of {cut(found[2])}"
            help_ = f"write `{cut(found[2])}: {cut(line[found.end() :])}`"
            return failure.finding(message, help_, (number, found.end()))
        if found := _ITEM_WITHOUT_BLANK.match(line):
            help_ = f"write `- {cut(line[found.end() :])}`"
            return failure.finding("no blank after the dash of a list", help_, (number, found.end()))
    return None


def _after_closing(failure: _Failure) -> Finding | None:
    """`"a" b` and `[a] b`: a quote or a bracket that closes before the value ends."""
    last = failure.last
    if last is None or last.end_mark.line != failure.number or failure.column < last.end_mark.column:
        return None
    start = last.start_mark
    before = failure.line[: last.end_mark.column][-1:]
    if type(last) is ScalarEvent and before in ("'", '"') and last.style == before:
        if start.line < failure.number:
            message = f"a quote that closes only in line {failure.number + 1}, before the line ends"
            return failure.finding(message, "close it in its own line", (start.line, start.column))
        inside = {"'": "''", '"': '\\"'}[before]
        help_ = f"put the whole value in quotes, and write a quote inside as {inside}"
        return failure.finding("text behind the closing quote", help_)
    if type(last) in (SequenceEndEvent, MappingEndEvent) and before in ("]", "}"):
        return failure.finding(f"text behind the closing {before}", _QUOTE_IT)
    return None


def _colon(failure: _Failure) -> Finding | None:
    if "mapping values are not allowed" not in failure.said:
        return None
    if _AFTER_KEY.match(failure.line[: failure.column]):
        return failure.finding("a second colon in one line", _QUOTE_IT)
    above = failure.number - 1
    if above < 0:
        return failure.finding("a colon that no key stands before", _QUOTE_IT)
    while above > 0 and not failure.lines[above].strip():
        above -= 1
    at = (failure.number, _indent(failure.line))
    message = f"a key inside of a value: line {above + 1} has one already"
    help_ = "indent it like the keys above, or take that value away, or put it in quotes with all of its lines"
    return failure.finding(message, help_, at)


def _key(failure: _Failure) -> Finding | None:
    """A line among keys that is none, or one that is not indented like them."""
    if "expected ':'" in failure.said:
        number, column = failure.begun
        help_ = "write `key: value`, or indent it deeper than the key whose value it goes on with"
        return failure.finding("a line that is no key, no item and no value", help_, (number, column))
    if not any(words in failure.said for words in ("expected key", "<document start>")):
        return None
    indent = _indent(failure.line)
    if indent == failure.column:
        if failure.line[indent:] == "-" or failure.line.startswith("- ", indent):
            return failure.finding("an item of a list among keys", "indent it below its key, or make it a key")
        if (beside := _levels(failure)) and indent not in beside:
            message = f"indented by {indent}, and nothing above it is"
            keys = [f"by {level} to stand beside {cut(key)}" for level, key in sorted(beside.items(), reverse=True)]
            return failure.finding(message, f"indent it {', or '.join(keys)}")
    if (sign := failure.line[failure.column : failure.column + 1]) in ("]", "}"):
        return failure.finding(f"a {sign} that nothing opens", "remove it, or put the value in quotes")
    if "expected key" not in failure.said:
        return None
    return failure.finding("no key can stand here", "put the whole value in quotes, or begin a new line for a key")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _levels(failure: _Failure) -> dict[int, str]:
    """The two indentations next to that of the line where libyaml gave up, with the first word that has each."""
    wanted = failure.column
    levels: dict[int, str] = {}
    for number in range(failure.number - 1, -1, -1):
        line = failure.lines[number]
        level = _indent(line)
        if line.strip() and line[level] != "#" and level < min(levels, default=level + 1):
            levels[level] = line[level:].split(":")[0]
    deeper = min((level for level in levels if level >= wanted), default=None)
    shallower = max((level for level in levels if level < wanted), default=None)
    return {level: levels[level] for level in (deeper, shallower) if level is not None}


def _content(failure: _Failure) -> Finding | None:
    if "expected node content" not in failure.said:
        return None
    if failure.number >= len(failure.lines) - 1 and not failure.line and (opened := failure.unclosed()):
        return failure.finding("a bracket that is not closed", "write ] or } behind the last of what is in it", opened)
    sign = failure.line[failure.column : failure.column + 1]
    if sign and sign in "]},":
        return failure.finding(f"a value cannot begin with {sign}", f"{_QUOTE_IT}, or write what is missing before it")
    return failure.finding("a value is missing", "write a value, or null")


_LOOKS: Final[tuple[Callable[[_Failure], Finding | None], ...]] = (
    _depth, _conflict, _tab, _open_quote, _bracket, _unquoted_start, _after_closing, _no_blank, _look_alike, _colon,
    _key, _content,
)  # fmt: skip
