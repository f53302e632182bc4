"""Keys of agent.toml: each with its kind, everything else refused."""

from __future__ import annotations

import difflib
import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)?")
_SECONDS: Final = {"ms": 0.001, None: 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)")
_BYTES: Final = {
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
}

_LONGEST_SECONDS: Final = 86_400.0
_MOST_BYTES: Final = 2**50


class LocalError(Exception):
    """agent.toml cannot be used. `key` is where, "" for the file as a whole."""

    def __init__(self, key: str, message: str, help_: str | None = None) -> None:
        super().__init__(f"{key}: {message}" if key else message)
        self.key = key
        self.help = help_


class Kind(Enum):
    """What a key holds."""

    TEXT = "a text"
    PATH = "an absolute path"
    TEXTS = "a list of texts"
    INTEGER = "a whole number"
    INTEGERS = "a list of whole numbers"
    NUMBER = "a number"
    SWITCH = "true or false"
    SECONDS = 'a time of at most a day, such as "2m" or 30'
    BYTES = 'a size of at most 1024TiB with its unit, such as "16GiB"'


def read_table(
    name: str, data: Mapping[str, Any], keys: Mapping[str, Kind], tables: Mapping[str, Mapping[str, Kind]]
) -> dict[str, Any]:
    """The values of a table, "" for the top level, as what their kind says.

    Raises:
        LocalError: a key that is not known, or a value of another kind.
    """
    table = data.get(name, {}) if name else {key: value for key, value in data.items() if key not in tables}
    if not isinstance(table, dict):
        raise LocalError(name, f"must be a table, [{name}]")
    values = {}
    for key, value in table.items():
        where = f"{name}.{key}" if name else key
        if key not in keys:
            near = difflib.get_close_matches(key, [*keys, *tables] if not name else keys, n=1)
            raise LocalError(where, "is not known", f"did you mean {near[0]}?" if near else f"known: {', '.join(keys)}")
        try:
            values[key] = _READERS[keys[key]](value)
        except (ValueError, TypeError):
            raise LocalError(where, f"must be {keys[key].value}, not {value!r:.80}") from None
    return values


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ValueError(value)
    return value


def _path(value: Any) -> Path:
    path = Path(_text(value))
    if not path.is_absolute() or ".." in path.parts:
        raise ValueError(value)
    return path


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    return float(value)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _seconds(value: Any) -> float:
    found = _DURATION.fullmatch(value if isinstance(value, str) else str(_number(value)))
    if found is None:
        raise ValueError(value)
    seconds = float(found[1]) * _SECONDS[found[2]]
    if seconds > _LONGEST_SECONDS:  # a slip of the keyboard, and more than the system's calls take
        raise ValueError(value)
    return seconds


def _bytes(value: Any) -> int:
    found = _SIZE.fullmatch(_text(value))
    if found is None:
        raise ValueError(value)
    size_bytes = int(float(found[1]) * _BYTES[found[2]])
    if size_bytes > _MOST_BYTES:
        raise ValueError(value)
    return size_bytes


def _each(reader: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise TypeError(value)
        return tuple(reader(each) for each in value)

    return read


_READERS: Final[dict[Kind, Callable[[Any], Any]]] = {
    Kind.TEXT: _text,
    Kind.PATH: _path,
    Kind.TEXTS: _each(_text),
    Kind.INTEGER: _integer,
    Kind.INTEGERS: _each(_integer),
    Kind.NUMBER: _number,
    Kind.SWITCH: _switch,
    Kind.SECONDS: _seconds,
    Kind.BYTES: _bytes,
}
