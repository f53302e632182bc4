"""Colour for a terminal, and only for one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

    Paint = Callable[[str, str], str]
    """(style, text) -> text, with or without its escape sequences."""

_STYLES: Final = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "help": "1;32",
    "gutter": "1;34",
    "strong": "1",
    "faint": "2",
}


def coloured(style: str, text: str) -> str:
    """The text in one of the styles above."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text else text


def plain(_style: str, text: str) -> str:
    """The text as it is."""
    return text


def paint_for(stream: TextIO) -> Paint:
    """Colour on a terminal unless NO_COLOR is set or TERM is `dumb`. FORCE_COLOR wins over a pipe, not over these."""
    environment = os.environ
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return plain
    return coloured if environment.get("FORCE_COLOR") or stream.isatty() else plain
