"""Plain scalars by the YAML 1.2 core schema, and nothing beyond it: `on`, `yes`, `1_000` and `1:30` are text."""

from __future__ import annotations

import math
import re
from typing import Final

Scalar = str | int | float | bool | None

LONGEST_NUMBER: Final = 400
"""Digits. No quantity of a host needs more, and a hostile one stops here before any arithmetic."""

_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_NUMBER_STARTS: Final = frozenset("0123456789+-.")
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o([0-7]+)")
_HEXADECIMAL: Final = re.compile(r"0x([0-9a-fA-F]+)")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class NumberRangeError(ValueError):
    """A number that has no faithful value here; the message says why."""


def resolve(text: str) -> Scalar:
    """The value of a plain scalar.

    Raises:
        NumberRangeError: the number has too many digits, or no double holds it.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _FLOAT.fullmatch(text) is None:
        for pattern, base in ((_OCTAL, 8), (_HEXADECIMAL, 16)):
            if match := pattern.fullmatch(text):
                return int(_bounded(match[1]), base)
        return text
    _bounded(text)
    if _INTEGER.fullmatch(text):
        return int(text)
    value = float(text)
    if math.isinf(value):
        raise NumberRangeError("no double holds this number: it would become infinite")
    return value


def _bounded(digits: str) -> str:
    if len(digits) > LONGEST_NUMBER:
        raise NumberRangeError(f"a number of {len(digits)} digits: {LONGEST_NUMBER} is the limit")
    return digits
