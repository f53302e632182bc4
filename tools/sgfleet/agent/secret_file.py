"""The value of a variable in files for EnvironmentFile=, read as systemd reads them."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_BYTES: Final = 2**20
_DOUBLE_QUOTED: Final = re.compile(r'\\(["\\`$])')
_PART: Final = re.compile(
    r"""'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|\\(?P<escaped>.)|(?P<plain>[^'"\\]+)|.""", re.DOTALL
)


class SecretFileError(Exception):
    """A file cannot be read, or the variable stands in none. The message names the variable, never its value."""


def value_of(variable: str, paths: Iterable[str]) -> str:
    """The variable's value: of several files, and several lines in one, the last counts.

    Raises:
        SecretFileError: a file is not there, is no plain file, or none has the variable.
    """
    found = None
    for path in paths:
        value = variable_in(_text(path), variable)
        found = found if value is None else value
    if found is None:
        raise SecretFileError(f"{variable} stands in none of {', '.join(paths) or 'no files'}")
    return found


def variable_in(text: str, variable: str) -> str | None:
    """The last value that a text gives the variable. Quotes may span lines, a backslash at the end joins two."""
    found = None
    for line in _logical(text):
        name, equals, value = line.partition("=")
        if equals and name.strip() == variable:
            found = _unquoted(value.strip())
    return found


def _logical(text: str) -> Iterable[str]:
    pending = ""
    for line in text.split("\n"):
        if not pending and line.lstrip()[:1] in {"#", ";"}:
            continue
        pending += line
        if _open(pending):
            pending += "\n"
        elif (len(pending) - len(pending.rstrip("\\"))) % 2 == 1:
            pending = pending[:-1]
        else:
            yield pending
            pending = ""
    if pending:
        yield pending


def _open(text: str) -> bool:
    """Whether a quote is open at the end."""
    value = text.partition("=")[2].lstrip()
    return any(match[0] in {"'", '"'} for match in _PART.finditer(value))


def _unquoted(value: str) -> str:
    parts = []
    for match in _PART.finditer(value):
        if match["double"] is not None:
            parts.append(_DOUBLE_QUOTED.sub(r"\1", match["double"]))
        else:
            parts.append(next((part for part in (match["single"], match["escaped"], match["plain"]) if part), ""))
    return "".join(parts)


def _text(path: str) -> str:
    """The text of a plain file: no device, no pipe that would make the agent wait."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        raise SecretFileError(f"{path} cannot be read: {(error.strerror or '').lower()}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise SecretFileError(f"{path} is no plain file")
    with os.fdopen(handle, "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise SecretFileError(f"{path} has more than {_MOST_BYTES} bytes")
    return data.decode(errors="replace")
