"""Somebody else's text on a terminal: nothing in it is acted on, and its width is known."""

from __future__ import annotations

import unicodedata
from typing import Final

TAB_CELLS: Final = 4

_WIDE: Final = frozenset("WF")


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"<U+{code:04X}>"


def cells(character: str) -> int:
    """Terminal cells that one character of `visible` text takes: 0, 1 or 2."""
    if character.isascii():
        return 1
    if unicodedata.east_asian_width(character) in _WIDE:
        return 2
    return 0 if unicodedata.category(character) in {"Mn", "Me"} else 1


def visible(text: str) -> str:
    """The text with everything replaced that a terminal acts on or does not show: ESC by `␛`, U+202E by `<U+202E>`.

    That is what Python calls not printable: controls, bidirectional overrides, zero-width signs, lone surrogates, line
    separators, and every blank but the common one, which is how a no-break space in YAML is found.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _shown(each) for each in text)


def width(text: str) -> int:
    """Terminal cells of `visible` text."""
    return len(text) if text.isascii() else sum(map(cells, text))


def spread(text: str) -> list[str]:
    """Character by character what is shown for a line of a file, tabs as blanks up to the next stop."""
    if text.isascii() and text.isprintable():
        return list(text)
    shown, position = [], 0
    for character in text:
        piece = " " * (TAB_CELLS - position % TAB_CELLS) if character == "\t" else visible(character)
        shown.append(piece)
        position += width(piece)
    return shown
