r"""Answers as JSON that every parser takes: what is no text is said in text.

Arguments, names of files and what Git holds are bytes. Those that are no UTF-8 are halves of surrogate pairs in Python:
JSON can write them, and strict parsers refuse them. Each such byte becomes `\xff`, as a shell's `$'\xff'` has it, and
any other half of a pair `\ud800`: four or six characters of text.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

_ESCAPE: Final = re.compile(r"\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u(d[89a-f][0-9a-f]{2})|.)")
_HALF: Final = re.compile("([\ud800-\udfff])")


def json_text(value: Any, *, indent: int | None = None, ascii_only: bool = True, allow_nan: bool = True) -> str:
    """The value as `json.dumps` writes it, but for what is no text."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, allow_nan=allow_nan)
    if not ascii_only:
        return text if text.isascii() else _HALF.sub(lambda found: _said(ord(found[1])), text)
    return _ESCAPE.sub(_whole, text) if "\\ud" in text else text


def _whole(escape: re.Match[str]) -> str:
    """An escape of JSON as it is, unless it is half of a pair."""
    return escape[0] if escape[1] is None else _said(int(escape[1], 16))


def _said(code: int) -> str:
    """Inside a string of JSON. Python keeps the byte 0xff as U+DCFF."""
    return f"\\\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\\\u{code:04x}"
