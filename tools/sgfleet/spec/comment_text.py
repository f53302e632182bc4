"""Text of the specification that becomes a comment of a unit, where nothing can be escaped."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 2000
UNFIT: Final = r"\x00-\x08\x0e-\x1b\x1f\x7f\x80-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff"
"""What the renderer refuses in a comment (`render/characters.py`), in a form that JavaScript's patterns have too.

Tabs and line breaks of any kind are no part of it: the renderer replaces them.
"""
_UNFIT_FARTHER: Final = "".join(chr(plane << 16 | low) for plane in range(1, 17) for low in (0xFFFE, 0xFFFF))
"""The same of the other planes, which Python and JavaScript write otherwise."""


def fit(text: str) -> str:
    """The text itself.

    Raises:
        ValueError: which of its characters no comment can hold.
    """
    if not (text.isascii() and text.isprintable()) and (found := re.search(f"[{UNFIT}{_UNFIT_FARTHER}]", text)):
        code = f"U+{ord(found[0]):04X}"
        raise ValueError(f"leave {code} out: the text becomes a comment of the unit, which has no escapes")
    return text
