"""JSON that people can compare: what is short, and a rule about a release, stands on one line."""

from __future__ import annotations

import json
from typing import Any, Final

_LINE: Final = 118


def lines(value: Any, indent: str = "") -> str:
    """Data -> the same as JSON, without a line break at its end."""
    if not isinstance(value, dict | list) or not value or _is_line(value):
        return json.dumps(value, ensure_ascii=False)
    inner = f"{indent}  "
    if isinstance(value, list):
        parts = [lines(each, inner) for each in value]
        opened, closed = "[", "]"
    else:
        parts = [f"{json.dumps(key)}: {lines(each, inner)}" for key, each in value.items()]
        opened, closed = "{", "}"
    short = f"{opened}{', '.join(parts)}{closed}"
    if len(indent) + len(short) <= _LINE and "\n" not in short:
        return short
    return f"{opened}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{closed}"


def _is_line(value: Any) -> bool:
    """What stays on one line, however long: a rule about a release, and a list of plain values."""
    return "if" in value if isinstance(value, dict) else not any(isinstance(each, dict | list) for each in value)
