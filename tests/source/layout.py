"""YAML in every layout that people write, with the place of every key and value noted while it is written.

Written apart from the reader, so that the two can be held against each other: nothing of sgfleet is used here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

Route = tuple[str | int, ...]

WORDS = st.text("abcxyz_/äлω中😀", min_size=1, max_size=6)
TEXTS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=3).map(" ".join),
    st.sampled_from(["", "0.5.9", "true", "null", "a: b", "a #b", "- x", "'", '"', "\\", "x\n", "a\nb\n", "*", "{}"]),
    st.sampled_from(["[", " x ", "😀", "yes", "a,b", "1e3", "2026-11-29", "---", "<<", "%a", "\t", "x\n\n"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Co", "Cn", "Zl", "Zp"]), max_size=8),
)  # fmt: skip
NUMBERS = st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False, width=32)
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | TEXTS, inner, max_size=3),
    max_leaves=12,
)
MAPPINGS = st.dictionaries(WORDS | TEXTS, VALUES, min_size=1, max_size=4)

_SURELY_PLAIN = re.compile(r"[a-zäлω中😀_/]+(?: [a-zäлω中😀_/]+)*")
_WORDS_OF_YAML = {"null", "true", "false"}


@dataclass
class Layout:
    """A text and where everything stands in it. Lines and columns count from 1; ends are exclusive."""

    data: dict[str, Any]
    text: str = ""
    keys: dict[Route, tuple[int, int, int, int]] = field(default_factory=dict)
    values: dict[Route, tuple[int, int, int, int]] = field(default_factory=dict)
    """Of scalars and of what stands in brackets."""


class _Writer:
    def __init__(self, draw: Callable[..., Any], data: dict[str, Any]) -> None:
        self.draw = draw
        self.made = Layout(data)
        self.line_break = draw(st.sampled_from(["\n", "\n", "\r\n"]))
        self.comments = draw(st.booleans())
        self.line, self.column = 1, 1
        self.ends_with_block = False

    def put(self, text: str) -> None:
        """Text without line breaks."""
        self.made.text += text
        self.ends_with_block = False
        self.column += len(text)

    def end(self, comment: bool = True) -> None:
        """The end of a line, perhaps with a comment, and perhaps with lines of comments and blanks behind it."""
        if comment and self.comments:
            self.put(self.draw(st.sampled_from(["", "", "  # c: 1", " # 'x", "   "])))
        self.break_()
        if comment and self.comments:
            for line in self.draw(st.sampled_from([[], [], [""], ["# - x: {"], ["", "    # y"], ["  "]])):
                self.put(line)
                self.break_()

    def break_(self) -> None:
        self.made.text += self.line_break
        self.line, self.column = self.line + 1, 1

    def noted(self, notes: dict[Route, Any], route: Route, write: Callable[[], None]) -> None:
        line, column = self.line, self.column
        write()
        notes[route] = (line, column, self.line, self.column)

    def mapping(self, value: dict[str, Any], route: Route, indent: int, first: bool = False) -> None:
        """A block mapping; with `first`, its first key goes on in the line that is open."""
        for key, each in value.items():
            if not first:
                self.put(" " * indent)
            first = False
            here = (*route, key)
            self.noted(self.made.keys, here, lambda key=key: self.put(self.scalar(key)))
            self.put(self.draw(st.sampled_from([":", ":", " :"])))
            self.value(each, here, indent)

    def value(self, value: Any, route: Route, indent: int) -> None:
        """What stands behind a colon, up to the end of its last line."""
        if isinstance(value, dict | list) and value and self.draw(st.booleans()):
            self.end()
            if isinstance(value, dict):
                self.mapping(value, route, indent + self.draw(st.integers(1, 4)))
            else:
                self.sequence(value, route, indent + self.draw(st.integers(0, 2)))
            return
        if value is None and self.draw(st.booleans()):
            self.end()
            return
        self.put(self.draw(st.sampled_from([" ", " ", "   ", "\t"])))
        if isinstance(value, str) and (lines := _literal(value)) and self.draw(st.booleans()):
            self.literal(lines, route, indent)
        else:
            self.inline(value, route, indent)
            self.end()

    def literal(self, lines: list[str], route: Route, indent: int) -> None:
        line, column = self.line, self.column
        self.put("|")
        self.end(comment=False)
        deeper = " " * (indent + self.draw(st.integers(1, 3)))
        for each in lines:
            self.put(deeper + each)
            self.break_()
        self.made.values[route] = (line, column, self.line, self.column)
        self.ends_with_block = True

    def sequence(self, value: list[Any], route: Route, indent: int) -> None:
        for number, each in enumerate(value):
            here = (*route, number)
            self.put(" " * indent + "-")
            if isinstance(each, dict) and each and self.draw(st.booleans()):
                blanks = self.draw(st.integers(1, 3))
                self.put(" " * blanks)
                self.mapping(each, here, indent + 1 + blanks, first=True)
            else:
                self.put(" ")
                self.inline(each, here, indent)
                self.end()

    def inline(self, value: Any, route: Route, indent: int) -> None:
        """A value in brackets, or a scalar in one line."""
        if isinstance(value, list | dict):
            self.noted(self.made.values, route, lambda: self.brackets(value, route, indent))
        else:
            self.noted(self.made.values, route, lambda: self.put(self.scalar(value)))

    def brackets(self, value: Any, route: Route, indent: int) -> None:
        several_lines = self.draw(st.booleans())
        self.put("{" if isinstance(value, dict) else "[")
        for number, step in enumerate(value):
            here = (*route, step if isinstance(value, dict) else number)
            if number:
                self.put(self.draw(st.sampled_from([",", ", ", " , "])))
            if several_lines:
                self.end()
                self.put(" " * (indent + 2))
            if isinstance(value, dict):
                self.noted(self.made.keys, here, lambda step=step: self.put(self.scalar(step)))
                self.put(": ")
                self.inline(value[step], here, indent)
            else:
                self.inline(step, here, indent)
        if several_lines:
            self.end()
            self.put(" " * (indent + 1))
        self.put("}" if isinstance(value, dict) else "]")

    def scalar(self, value: Any) -> str:
        if isinstance(value, str):
            plain = _SURELY_PLAIN.fullmatch(value) and value not in _WORDS_OF_YAML
            if plain and self.draw(st.booleans()):
                return value
            if value.isprintable() and self.draw(st.booleans()):
                return "'" + value.replace("'", "''") + "'"
            return '"' + "".join(map(self.escaped, value)) + '"'
        if value is None:
            return self.draw(st.sampled_from(["null", "~", "Null"]))
        if isinstance(value, bool):
            return self.draw(st.sampled_from([str(value).lower(), str(value), str(value).upper()]))
        if isinstance(value, int) and value >= 0:
            return self.draw(st.sampled_from([str(value), f"0{value}", f"+{value}", f"0x{value:X}", f"0o{value:o}"]))
        return repr(value)

    def escaped(self, character: str) -> str:
        if character in '\\"':
            return "\\" + character
        if character == "\n":
            return "\\n"
        return character if character.isprintable() else f"\\U{ord(character):08x}"


def _literal(value: str) -> list[str] | None:
    """The lines of a text that can stand as a block: it ends with one break, no line with a blank."""
    lines = value.split("\n")
    if len(lines) < 2 or lines.pop() or not all(line.strip() == line and line.isprintable() for line in lines):
        return None
    return lines if all(lines) else None


@st.composite
def layouts(draw: Callable[..., Any], data: st.SearchStrategy[dict[str, Any]] = MAPPINGS) -> Layout:
    """A mapping in some layout."""
    writer = _Writer(draw, draw(data))
    if writer.comments and draw(st.booleans()):
        writer.put(draw(st.sampled_from(["# first", "---"])))
        writer.break_()
    writer.mapping(writer.made.data, (), draw(st.sampled_from([0, 0, 2])))
    if not writer.ends_with_block and draw(st.booleans()):
        writer.made.text = writer.made.text.rstrip("\r\n ")
    return writer.made
