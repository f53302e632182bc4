"""A place in a file, as a person and an editor count it."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where a finding points.

    `path` is relative to the repository's root, with forward slashes. Lines and columns count from 1, columns in
    characters (not bytes); the end is exclusive. A place that is a whole file, or a file that is missing, has line 0.
    `text` is the line itself, without its line break, when it is known: the renderers underline in it.
    """

    path: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    text: str | None = None

    def __str__(self) -> str:
        """`path`, `path:line:column`."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path
