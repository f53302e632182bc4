"""Plain scalars by the YAML 1.2 core schema, and nothing beyond it: `on`, `yes`, `1_000` and `1:30` are text."""

from __future__ import annotations

import math
import re
from typing import Final

Scalar = str | int | float | bool | None

LONGEST_NUMBER: Final = 300
"""Characters. No quantity of a host needs more; a hostile one stops here before any arithmetic, and whatever a whole
number is converted to later, it fits: a double reaches to 1.8e308."""

_MOST_BITS: Final = 1000

_NULLS: Final = ("", "~", "null", "Null", "NULL")
_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(_NULLS, None),
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
_NOT_ZERO: Final = re.compile(r"[-+.0]*[1-9]")
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
                return _whole(match[1], base)
        return text
    _bounded(text)
    if _INTEGER.fullmatch(text):
        return int(text)
    value = float(text)
    if math.isinf(value):
        raise NumberRangeError("no double holds this number: it would become infinite")
    if value == 0 and _NOT_ZERO.match(text):
        raise NumberRangeError("no double holds this number: it would become zero")
    return value


def _whole(digits: str, base: int) -> int:
    value = int(_bounded(digits), base)
    if value.bit_length() > _MOST_BITS:
        raise NumberRangeError(f"a number of {value.bit_length():,} bits, and {_MOST_BITS:,} are the limit")
    return value


def kind_of(value: object) -> str:
    """What a value is, for a sentence."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "text" if isinstance(value, str) else "a mapping" if isinstance(value, dict) else "a list"


def _bounded(number: str) -> str:
    if len(number) > LONGEST_NUMBER:
        raise NumberRangeError(f"a number of {len(number):,} characters, and {LONGEST_NUMBER} are the limit")
    return number
