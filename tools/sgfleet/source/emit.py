"""Values -> YAML 1.2 that every reader takes for the same: what YAML 1.1 would read in another way stands in quotes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from sgfleet.source.lookalike import typographic
from sgfleet.source.scalars import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

INDENT: Final = 2
"""Blanks by which a mapping is indented below its key."""

_NEEDS_QUOTES: Final = (
    r"(?s)[-?:,\[\]{}#&*!|>'\"%@`\s]"  # an indicator, or a blank, at the beginning
    r"|[-+]?[0-9.][0-9._:eE+-]*$"  # digits and points, as in a release or an address: some readers see a number
    r"|(?i:yes|no|on|off|y|n|true|false|null|~)$"
    r"|.*(?::\s|\s#|[:\s]$)"
)
_FLOW_INDICATORS: Final = frozenset(",[]{}")
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def scalar(value: Any, *, quote: str = "", in_flow: bool = False) -> str:
    """One value in one line. Text takes `quote` if it is given, and none if none is needed.

    Raises:
        TypeError: it is neither text, a number, true, false nor null.
        ValueError: YAML cannot hold it.
    """
    if isinstance(value, str):
        return _text(value, quote, in_flow)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    raise TypeError(f"{type(value).__name__} is no value of YAML")


def flow(value: Any) -> str:
    """Any value in one line: `{a: 1, b: [x, y]}`.

    Raises:
        TypeError, ValueError: as for `scalar`, or a key is no text.
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key, in_flow=True)}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return scalar(value, in_flow=True)


def block(entries: Mapping[str, Any], indent: int) -> Iterator[str]:
    """A mapping line by line, without line breaks; mappings in it are indented further, lists stand in one line.

    Raises:
        TypeError, ValueError: as for `flow`.
    """
    for key, value in entries.items():
        name = f"{' ' * indent}{_key(key)}:"
        if isinstance(value, dict) and value:
            yield name
            yield from block(value, indent + INDENT)
        else:
            yield f"{name} {flow(value) if isinstance(value, dict | list | tuple) else scalar(value)}"


def _key(key: Any, *, in_flow: bool = False) -> str:
    if not isinstance(key, str):
        raise TypeError("keys are text")
    return scalar(key, in_flow=in_flow, quote='"' if key == "<<" else "")


def _text(text: str, quote: str, in_flow: bool) -> str:
    if quote == "'" and text.isprintable():
        return f"'{text.replace(quote, quote * 2)}'"
    if not quote and _plain(text) and not (in_flow and _FLOW_INDICATORS & set(text)):
        return text
    return f'"{"".join(map(_escaped, text))}"'


def _plain(text: str) -> bool:
    if not text or not text.isprintable() or re.match(_NEEDS_QUOTES, text) or typographic(text):
        return False
    return resolve(text) == text


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError("a lone surrogate is no character")
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
