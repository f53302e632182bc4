"""Durations and sizes as people write them, with their unit; integers inside."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

_SECONDS: Final = {"d": 86_400, "h": 3_600, "min": 60, "m": 60, "s": 1}
_UNITS: Final = {
    word: names[0]
    for names in ("d day days", "h hr hrs hour hours", "m min mins minute minutes", "s sec secs second seconds")
    for word in names.split()
}
"""What people call the units."""
DURATION: Final = re.compile(r"(?:[0-9]+(?:d|h|min|m|s))+")
_DURATION_PART: Final = re.compile(r"([0-9]+)(d|h|min|m|s)")
LONGEST_SECONDS: Final = 3650 * _SECONDS["d"]
"""Ten years: whatever is longer is a slip, and systemd counts microseconds in 64 bits."""

_BYTES: Final[dict[str, int]] = {
    "B": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate("kMGT", start=1)},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", start=1)},
}
SIZE: Final = re.compile(rf"([0-9]+(?:\.[0-9]+)?) ?({'|'.join(_BYTES)})")
LARGEST_BYTES: Final = 2**60
"""An exbibyte: no host has it, and systemd counts bytes in 64 bits."""

LONGEST_TEXT: Final = 40
"""No duration or size that a person writes is longer; a hostile one stops here, before any arithmetic."""


def duration_seconds(value: Any) -> int:
    """`30s`, `15m`, `1h30m` -> seconds. A bare number is refused: it does not say its unit.

    Raises:
        ValueError: what to do about it, where there is more to say than what a duration is.
    """
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and DURATION.fullmatch(value):
        seconds = sum(int(number) * _SECONDS[unit] for number, unit in _DURATION_PART.findall(value))
        if seconds <= LONGEST_SECONDS:
            return seconds
        raise ValueError(f"a duration is at most {format_duration(LONGEST_SECONDS)}")
    if _is_count(value):
        raise ValueError(f"give the unit: {value}s for seconds, {value}m for minutes")
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and (meant := _likely_duration(value)):
        raise ValueError(f"write {meant}")
    raise ValueError


def _likely_duration(value: str) -> str | None:
    """`10 min`, `1 hour 30 minutes`, `90sec` -> the same, written as it should be."""
    words = re.fullmatch(r"(?: ?[0-9]+ ?[a-z]+,?)+", value.lower().strip())
    parts = re.findall(r"([0-9]+) ?([a-z]+)", value.lower()) if words else []
    if not parts or any(unit not in _UNITS for _, unit in parts):
        return None
    return "".join(f"{number}{_UNITS[unit]}" for number, unit in parts)


def some_seconds(value: Any) -> int:
    """The same without 0: for what is no time at all when it takes none.

    Raises:
        ValueError: as for `duration_seconds`.
    """
    seconds = duration_seconds(value)
    if seconds == 0:
        raise ValueError("leave it out for none")
    return seconds


def size_bytes(value: Any) -> int:
    """`48GiB`, `40GB`, `1.5TiB` -> bytes. GiB is 1024**3, GB is 10**9; a bare number is refused.

    Raises:
        ValueError: what to do about it, where there is more to say than what a size is.
    """
    if isinstance(value, str) and len(value) <= LONGEST_TEXT:
        if match := SIZE.fullmatch(value):
            return _exact_bytes(*match.groups())
        if units := _likely_units(value):
            raise ValueError(f"give the unit in full: {' or '.join(units)}")
    if _is_count(value):
        raise ValueError(f"give the unit: {value}GiB is {value} * 1024**3 bytes, {value}GB is {value} * 10**9")
    raise ValueError


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15


def _exact_bytes(number: str, unit: str) -> int:
    whole, _, fraction = number.partition(".")
    size, rest = divmod(int(whole + fraction) * _BYTES[unit], int(f"1{'0' * len(fraction)}"))
    if rest:
        raise ValueError(f"{number}{unit} is no whole number of bytes: {size}B is just below it")
    if size > LARGEST_BYTES:
        raise ValueError(f"a size is at most {format_size(LARGEST_BYTES)}")
    return size


def _likely_units(value: str) -> list[str]:
    """`48G`, `48 gib` -> what may have been meant, written as it should be."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)", value)
    if match is None:
        return []
    number, letters = match[1], match[2].lower()
    return [f"{number}{unit}" for unit in _BYTES if unit.lower() in {letters, f"{letters}b", f"{letters}ib"}]


def size_or_infinity(value: Any) -> int | Literal["infinity"]:
    """A size, or no bound at all.

    Raises:
        ValueError: as for `size_bytes`.
    """
    return "infinity" if value == "infinity" else size_bytes(value)


def some_size_or_infinity(value: Any) -> int | Literal["infinity"]:
    """The same without 0.

    Raises:
        ValueError: as for `size_bytes`.
    """
    size = size_or_infinity(value)
    if size == 0:
        raise ValueError("no process lives with 0 bytes: leave it out for no bound")
    return size


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


def enough(size: int) -> str:
    """Bytes -> a size to write that is no smaller, as a person would round it: 54.21 GiB -> `55GiB`."""
    unit = next((unit for unit in ("GiB", "MiB", "KiB") if size >= 8 * _BYTES[unit]), "B")
    return f"{-(-size // _BYTES[unit])}{unit}"
