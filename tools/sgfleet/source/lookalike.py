"""Characters that look like YAML's own and are not, and tabs: what editors, chats and web pages make of a file."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from yaml.events import ScalarEvent

from sgfleet.source import problems
from sgfleet.source.problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.findings import Finding
    from sgfleet.source.lines import Lines

_QUOTES: Final = "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\uff02\uff07"
_DASH: Final = re.compile("[\u2010-\u2015\u2212]\\s")
_AFTER_COLON: Final = re.compile(r":\s")
_INDENT: Final = re.compile(" *\t")


def typographic(text: str) -> tuple[str, str] | None:
    """What is deceptive about the ends of a plain scalar, and what to do about it."""
    if not text or text.isascii():
        return None
    if text[0] in _QUOTES:
        return f"{text[0]} is no quote to YAML: it becomes a part of the text", "write straight quotes"
    if _DASH.match(text):
        return f"{text[0]} is no dash of a list to YAML", "write - and a blank"
    blanks = [text[0], text[-1], *(found[0][1] for found in _AFTER_COLON.finditer(text))]
    for character in blanks:
        if character.isspace() and not character.isascii():
            name = unicodedata.name(character, "a blank").lower()
            message = f"U+{ord(character):04X} ({name}) is no blank to YAML: it becomes a part of the text"
            return message, "write common blanks"
    return None


def tabs(lines: Lines, events: Sequence[Any], told: Sequence[Finding]) -> Iterator[Finding]:
    """Tabs in the indentation of lines that do not go on with a text; libyaml lets some of them pass."""
    inside: set[int] = set()
    last = 0
    for event in events:
        start, end = event.start_mark, event.end_mark
        last = max(last, end.line)
        if type(event) is ScalarEvent and end.line > start.line:
            # A block ends at the beginning of the next line, a quoted text inside of its last one.
            inside.update(range(start.line + 1, end.line + (end.column > 0)))
    spoken_of = {finding.place.line - 1 for finding in told if finding.code == problems.TAB}
    for number in range(min(last + 1, len(lines))):
        if number not in inside and number not in spoken_of and _INDENT.match(lines[number]):
            line = lines[number]
            width = len(line) - len(line.lstrip(" \t"))
            if width < len(line):
                place = lines.point(number, line.index("\t"), width - line.index("\t"))
                yield problem(problems.TAB, "a tab in the indentation", place, "indent with blanks")
