"""JSON as orjson reads it, on top of the standard library's reader.

Releases use either `json.loads` or `orjson.loads` for the flags that take JSON, and the two do not agree: orjson is
strict where Python's reader is not (NaN, Infinity, lone surrogates, numbers beyond a double), turns an integer that
does not fit 64 bits into a double, and counts nesting instead of running out of stack.
"""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any, Final, NoReturn

_DEEPEST: Final = 1024
"""Levels of nesting that orjson takes."""
_UNSIGNED: Final = 2**64
_SIGNED: Final = -(2**63)
_LONGEST: Final = 400
"""Digits beyond which no number fits a double (the largest has 309)."""

_ESCAPE: Final = (
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""A pattern that most starts never need: compiled when first used."""


def loads(text: str) -> Any:
    """The value of a JSON text, as `orjson.loads` returns it.

    Raises:
        ValueError: orjson refuses the text.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("the text holds characters that are no Unicode") from None
    depth = _depth(text)
    if depth > _DEEPEST:
        raise ValueError(f"nested {depth} levels deep, {_DEEPEST} is the limit")
    limit = sys.getrecursionlimit()
    if depth > limit // 4:
        sys.setrecursionlimit(limit + 4 * _DEEPEST)
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_double, parse_constant=_constant)
    finally:
        sys.setrecursionlimit(limit)
    # Whatever was a key twice is gone from the value, so the text itself is asked. It is JSON by now: each backslash
    # begins an escape.
    if "\\u" in text and any(escape["lone"] for escape in re.finditer(_ESCAPE, text)):
        raise ValueError("half of a surrogate pair")
    return value


def _integer(digits: str) -> int | float:
    if len(digits) < 19:
        return int(digits)
    value = int(digits) if len(digits) < _LONGEST else None
    if value is not None and _SIGNED <= value < _UNSIGNED:
        return value
    return _double(digits)


def _double(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("a number that is too large for a double")
    return value


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _depth(text: str) -> int:
    """The deepest nesting of a text, strings left out; an upper bound where the text is not JSON."""
    if text.count("[") + text.count("{") <= _DEEPEST // 8:
        return 0
    deepest = level = 0
    inside = escaped = False
    for character in text:
        if inside:
            inside = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            inside = True
        elif character in "[{":
            level += 1
            deepest = max(deepest, level)
        elif character in "]}":
            level -= 1
    return deepest
