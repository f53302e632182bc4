"""Lines of a log as the engine wrote them: without what journald, containers and terminals put around them. Pure."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST: Final = 2**18
"""Characters of a line that are looked at. The longest that matters, the list of settings, has some 20,000."""

_MOST_WAITING: Final = 10_000
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|#\[?[0-9;]*m(?=\[)")
_ENGINE: Final = re.compile(
    r"\[(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?((?: [A-Z][A-Z_]*\d+)*)\] (.*)", re.DOTALL
)
"""`[2026-06-10 01:55:08 DP0 TP1 EP1] message`; milliseconds where they were asked for."""
_SYSLOG: Final = re.compile(
    r"([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.\d+)? \S+ ([^\s:\[]+)(?:\[\d+\])?: (.*)", re.DOTALL
)
_ISO: Final = re.compile(
    r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? \S+ ([^\s:\[]+)(?:\[\d+\])?: (.*)", re.DOTALL
)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Line:
    """A line. `time` is the local time of the machine that wrote it; `rank` such as `TP0` or `DP1 TP3`, or empty.

    `source` is journald's identifier of the program (`systemd`, `python3`), or empty.
    """

    text: str
    time: datetime.datetime | None = None
    rank: str = ""
    source: str = ""


def read_lines(raw: Iterable[bytes]) -> Iterator[Line]:
    """The lines of a log in any of the forms that it is kept in."""
    year = 0
    waiting: list[str] = []
    for each in raw:
        text = _ANSI.sub("", each[: LONGEST * 4].decode("utf-8", errors="replace")[:LONGEST].rstrip("\r\n"))
        line = _line(text, year)
        if line.time is not None:
            year = line.time.year
        elif not year and _SYSLOG.match(text) and len(waiting) < _MOST_WAITING:
            # Its year stands in the first line of the engine: until that one comes it waits.
            waiting.append(text)
            continue
        yield from (_line(text, year) for text in waiting)
        waiting.clear()
        yield line
    yield from (_line(text, year) for text in waiting)


def _line(text: str, year: int) -> Line:
    if text.startswith("{"):
        return _from_json(text, year)
    time, source = None, ""
    if match := _SYSLOG.match(text):
        month, *numbers, source, text = match.groups()
        time = _moment(year, month, numbers)
    elif match := _ISO.match(text):
        time, (source, text) = _parsed(match[1]), (match[2], match[3])
    # A container's or a collector's own prefix may stand before the bracket.
    if match := _ENGINE.search(text):
        return Line(match[3], _parsed(match[1]), match[2].strip(), source)
    return Line(text, time, "", source)


def _from_json(text: str, year: int) -> Line:
    """A line of `journalctl -o json` or of Docker's json-file; text that is not plain is a list of bytes there."""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return Line(text)
    message = entry.get("MESSAGE", entry.get("log", "")) if isinstance(entry, dict) else ""
    if isinstance(message, list) and all(isinstance(each, int) and 0 <= each < 256 for each in message):
        message = bytes(message).decode("utf-8", errors="replace")
    if not isinstance(message, str) or not message or message.startswith("{"):
        return Line("")
    line = _line(_ANSI.sub("", message[:LONGEST]).rstrip("\r\n"), year)
    source = entry.get("SYSLOG_IDENTIFIER")
    return Line(line.text, line.time, line.rank, source[:100]) if isinstance(source, str) else line


def _parsed(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def _moment(year: int, month: str, numbers: list[str]) -> datetime.datetime | None:
    """A syslog time, which has no year: that of the line before."""
    try:
        day, hour, minute, second = map(int, numbers)
        return datetime.datetime(year, _MONTHS.index(month) + 1, day, hour, minute, second)  # noqa: DTZ001 - local time
    except (ValueError, OverflowError):
        return None
