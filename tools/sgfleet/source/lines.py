"""A text by its lines, and places in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Place

if TYPE_CHECKING:
    from yaml import Mark

_LINE_BREAK: Final = re.compile("\r\n|\n|\r")
"""What YAML 1.2 calls a line break; `str.splitlines` knows more of them."""


class Lines:
    """Lines and columns of one file. The text is taken apart when the first place is asked for, and only once."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def _lines(self) -> list[str]:
        return _LINE_BREAK.split(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_BREAK.finditer(self.text))]

    def __len__(self) -> int:
        """How many lines there are; a text that ends with a break has an empty last one."""
        return len(self._lines)

    def __getitem__(self, number: int) -> str:
        """The line with that number, counted from 0, without its break; empty text beyond the end."""
        return self._lines[number] if number < len(self._lines) else ""

    def point(self, number: int, column: int, characters: int = 1) -> Place:
        """A place of some characters in one line; line and column count from 0, as libyaml's do."""
        last = column + max(1, characters)
        return Place(self.path, number + 1, column + 1, number + 1, last + 1, self[number])

    def between(self, start: Mark, end: Mark) -> Place:
        """A place from libyaml's marks. What spans several lines is underlined in its first line."""
        if end.line > start.line:
            return self.point(start.line, start.column, len(self[start.line].rstrip()) - start.column)
        return self.point(start.line, start.column, end.column - start.column)

    def at(self, index: int, characters: int = 1) -> Place:
        """The place of some characters in one line, by the index of the first in the text."""
        number = bisect_right(self._starts, index) - 1
        return self.point(number, index - self._starts[number], characters)
