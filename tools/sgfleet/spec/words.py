"""Names and values as they stand in sentences and in YAML."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.spec.base import Expect

_PLAIN: Final = re.compile(
    r"(?![-+.0-9])[A-Za-z0-9_./+][A-Za-z0-9_./+@=,-]*(?:[ :](?=[A-Za-z0-9_./+@=-])[A-Za-z0-9_./+@=,-]+)*"
)
"""Text that needs no quotes in YAML, in block and in flow style: no indicator, no `: `, no ` #`, no number."""

_NOT_TEXT: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
"""Plain words that YAML 1.2 or 1.1 reads as something else than text."""

_LONGEST_QUOTED: Final = 80


def name_of(route: Sequence[str | int]) -> str:
    """A route as people say it: `unit.restart-sec`, `gpus[0].memory-mib`."""
    name = ""
    for step in route:
        word = step if isinstance(step, int) or _PLAIN.fullmatch(step) else json.dumps(step)
        name += f"[{word}]" if isinstance(step, int) else f".{word}"
    return name.removeprefix(".")


def quoted(word: str | int) -> str:
    """A word that somebody wrote, whatever characters it holds, cut to a length that a line can take."""
    text = str(word)
    return repr(text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]}...")


def such_as(expected: Expect) -> str | None:
    """`such as 30s, 15m or 1h30m`; None without examples."""
    *first, last = [flow(example) for example in expected.examples] or [""]
    return f"such as {', '.join(first)}{' or ' if first else ''}{last}" if last else None


def scalar(value: Any) -> str:
    """A scalar as YAML: text without quotes where that is safe, everything else as JSON writes it."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    return json.dumps(value, ensure_ascii=False)


def flow(value: Any) -> str:
    """Any value as one line of YAML: `{a: 1, b: [x, y]}`."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return scalar(value)
