"""Characters that unit text holds only as escapes, or not at all.

The sets are written out, not asked of `str.isprintable`: that answer changes with the Unicode tables of each Python,
and a unit must render to the same bytes under all of them.
"""

from __future__ import annotations

import re
from typing import Final

C0: Final = "\x00-\x1f\x7f"
C1: Final = "\x80-\x9f"
SURROGATES: Final = "\ud800-\udfff"
NONCHARACTERS: Final = "\ufdd0-\ufdef" + "".join(
    chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF)
)
"""The 66 code points that Unicode sets aside. systemd takes them for invalid UTF-8 wherever it checks."""
REORDERING: Final = "\u202a-\u202e\u2066-\u2069"
"""Change the order in which the rest of a line is shown: a reviewer would read another unit than systemd does."""
INVISIBLE: Final = REORDERING + (
    "\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028\u2029\u202f\u205f-\u2065\u206a-\u206f\u3000\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"
)
"""Blanks other than the space, line separators, marks without a glyph."""

NUL_OR_SURROGATE: Final = re.compile(f"[\0{SURROGATES}]")
NONCHARACTER: Final = re.compile(f"[{NONCHARACTERS}]")
_UNFIT_FOR_TEXT: Final = re.compile(f"[{C0}{C1}{SURROGATES}{NONCHARACTERS}{REORDERING}\u2028\u2029]")


def unfit(text: str) -> re.Match[str] | None:
    """The first character that must not stand raw in a unit, such as a tab, or any kind of line break."""
    if text.isascii() and text.isprintable():  # a tenth of the time; what is printable in ASCII does not change
        return None
    return _UNFIT_FOR_TEXT.search(text)


def name_of(character: str) -> str:
    """`U+202E`, with a word about what it is; what can be seen is shown."""
    return f"U+{ord(character):04X} ({_kind(character)})"


def _kind(character: str) -> str:
    if character in "\n\r\u2028\u2029":
        return "a line break"
    if character == "\0":
        return "NUL"
    for characters, kind in (
        (C0 + C1, "a control character"),
        (SURROGATES, "half of a surrogate pair"),
        (NONCHARACTERS, "a Unicode noncharacter"),
        (REORDERING, "it changes the direction of the text after it"),
    ):
        if re.match(f"[{characters}]", character):
            return kind
    return "an invisible character" if re.match(f"[{INVISIBLE}]", character) else character
