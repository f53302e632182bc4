"""libyaml's syntax errors in words that an operator can act on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Place
from sgfleet.source import problems
from sgfleet.source.document import line_of
from sgfleet.source.problems import problem

if TYPE_CHECKING:
    import yaml

    from sgfleet.findings import Finding

_KEY_WITHOUT_BLANK: Final = re.compile(r"\s*(?:- )?([A-Za-z0-9_.-]+):(\S)")

_KNOWN: Final = {
    "unexpected end of stream": ("a quote that is not closed", "close it, on the same line where possible"),
    "unknown escape character": (
        "an escape that YAML does not know in double quotes",
        "write the backslash twice, or use single quotes",
    ),
    "did not find expected ',' or ']'": ("a [ that is not closed", "close it, and put a comma between the items"),
    "did not find expected ',' or '}'": ("a { that is not closed", "close it, and put a comma between the entries"),
    "did not find expected key": (
        "this does not fit the lines above",
        "give keys of one mapping the same indentation; quote a value as a whole or not at all",
    ),
    "could not find expected ':'": ("a key without a colon", "write `key: value`"),
    "did not find expected '-' indicator": ("an item that is not indented like the ones above", "indent every - alike"),
    "did not find expected node content": ("a value is missing", "write a value, or null"),
    "block sequence entries are not allowed": (
        "a list begins where a value goes on",
        "begin the list on a line of its own",
    ),
}


def explain(error: yaml.YAMLError, text: str, path: str) -> Finding:
    """The finding for a syntax error, at the character where libyaml gave up."""
    mark = getattr(error, "problem_mark", None)
    said = str(getattr(error, "problem", None) or error).splitlines()[0]
    number = mark.line if mark is not None else 0
    column = mark.column if mark is not None else 0
    line = line_of(text, number)
    place = Place(path, number + 1, column + 1, number + 1, column + 2, line)
    if "nesting depth" in said:
        return problem(problems.TOO_DEEP, "nested too deep", place, "no value of a host's file is nested like this")
    if "\t" in line[: column + 1]:
        return problem(problems.TAB, "a tab in the indentation", place, "indent with blanks")
    if "mapping values are not allowed" in said:
        return problem(problems.SYNTAX, *_unexpected_colon(text, number, line, place))
    if "cannot start any token" in said:
        first = line[column : column + 1]
        return problem(problems.SYNTAX, f"a value cannot begin with {first}", place, "put the value in quotes")
    for words, (message, help_) in _KNOWN.items():
        if words in said:
            opened = getattr(error, "context_mark", None)
            where = f" (it begins in line {opened.line + 1})" if opened is not None and "not closed" in message else ""
            return problem(problems.SYNTAX, message + where, place, help_)
    return problem(problems.SYNTAX, f"this is not YAML: {said}", place, "quote the value, or look at the indentation")


def _unexpected_colon(text: str, number: int, line: str, place: Place) -> tuple[str, Place, str]:
    above = line_of(text, number - 1) if number else ""
    if match := _KEY_WITHOUT_BLANK.match(above):
        at = match.start(2)
        earlier = Place(place.path, number, at + 1, number, at + 2, above)
        return f"no blank after the colon of {match[1]}", earlier, f"write `{match[1]}: {above[at:].strip()}`"
    if line[: place.column - 1].count(": "):
        return "a second colon in one line", place, "put the value in quotes"
    return "a key where a value goes on", place, "give keys of one mapping the same indentation"
