"""Durations and sizes as people write them, with their unit; integers inside."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

_SECONDS: Final = {"d": 86_400, "h": 3_600, "min": 60, "m": 60, "s": 1}
_DURATION: Final = re.compile(r"(?:\d+(?:d|h|min|m|s))+")
_DURATION_PART: Final = re.compile(r"(\d+)(d|h|min|m|s)")

_BYTES: Final = {
    "B": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate("kMGT", start=1)},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", start=1)},
}
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?) ?([kKMGT]i?B|B)")
_LONGEST: Final = 40
"""No duration or size that a person writes is longer; a hostile one stops here, before any arithmetic."""


def duration_seconds(value: Any) -> int:
    """`30s`, `15m`, `1h30m` -> seconds. A bare number is refused: it does not say its unit.

    Raises:
        ValueError: what is expected, with an example.
    """
    if isinstance(value, str) and len(value) <= _LONGEST and _DURATION.fullmatch(value):
        return sum(int(number) * _SECONDS[unit] for number, unit in _DURATION_PART.findall(value))
    hint = f"; did you mean {value}s?" if isinstance(value, int) and not isinstance(value, bool) else ""
    raise ValueError(f"a duration needs its unit, such as 30s, 15m or 1h30m{hint}")


def size_bytes(value: Any) -> int:
    """`48GiB`, `40GB`, `1.5TiB` -> bytes. GiB is 1024**3, GB is 10**9; a bare number is refused.

    Raises:
        ValueError: what is expected, with an example.
    """
    if isinstance(value, str) and len(value) <= _LONGEST and (match := _SIZE.fullmatch(value)):
        number, unit = match.groups()
        if unit in _BYTES:
            whole, _, fraction = number.partition(".")
            digits = int(whole + fraction) * _BYTES[unit]
            scale: int = 10 ** len(fraction)
            if digits % scale == 0:
                return digits // scale
    raise ValueError("a size needs its unit, such as 48GiB (1024**3) or 48GB (10**9)")


def _size_or_infinity(value: Any) -> int | Literal["infinity"]:
    return "infinity" if value == "infinity" else size_bytes(value)


def format_duration(seconds: int) -> str:
    """Seconds -> the shortest exact form that `duration_seconds` reads back: 5400 -> `1h30m`."""
    parts, rest = [], seconds
    for unit in ("d", "h", "m", "s"):
        number, rest = divmod(rest, _SECONDS[unit])
        if number:
            parts.append(f"{number}{unit}")
    return "".join(parts) or "0s"


def format_size(size: int | str) -> str:
    """Bytes -> the largest binary unit that holds them exactly, which `size_bytes` reads back: 48GiB."""
    if isinstance(size, str):
        return size
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size and size % _BYTES[unit] == 0:
            return f"{size // _BYTES[unit]}{unit}"
    return f"{size}B"


Duration = Annotated[
    int,
    BeforeValidator(duration_seconds),
    PlainSerializer(format_duration, return_type=str),
    WithJsonSchema({"type": "string", "pattern": rf"^{_DURATION.pattern}$", "examples": ["30s", "15m", "1h30m"]}),
]
"""Seconds inside; `30s`, `15m`, `1h30m` in YAML."""

Size = Annotated[
    int,
    BeforeValidator(size_bytes),
    PlainSerializer(format_size, return_type=str),
    WithJsonSchema({"type": "string", "pattern": rf"^{_SIZE.pattern}$", "examples": ["48GiB", "40GB"]}),
]
"""Bytes inside; `48GiB` or `40GB` in YAML."""

SizeOrInfinity = Annotated[
    int | Literal["infinity"],
    BeforeValidator(_size_or_infinity),
    PlainSerializer(format_size, return_type=str),
    WithJsonSchema({"type": "string", "pattern": rf"^(infinity|{_SIZE.pattern})$", "examples": ["infinity", "64GiB"]}),
]
"""Bytes inside, or no bound at all."""
