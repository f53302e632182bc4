"""`--config FILE.yaml`: the words that a configuration file adds in front of the command line.

SGLang reads the file before it parses, and only when `--config` stands alone as a word: `--config=FILE` and an
abbreviation reach the parser, which stores the name and reads nothing. How keys and values become words has changed:

    bare       0.5.3   true gives the bare flag, false nothing; a list gives several words; all else its text
    typed      0.5.8   flags other than store and store_true are refused; true and false for other flags become words
    json       0.5.14  a mapping becomes JSON
    spellings  0.5.23  every spelling of a flag is a key, and every flag that takes one value is allowed

YAML is read by PyYAML's safe loader, as the releases do: YAML 1.1, where `on` is true and the last of two equal keys
wins.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.argv.actions import refuse
from sgfleet.engine.argv.launcher import LAST_READ, config_reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sgfleet.engine.flag import Flag
    from sgfleet.engine.release import Release

OPTION: Final = "--config"
_LARGEST: Final = 1 << 20
"""Characters of a file that are read; a command line that is longer does not start anyway."""
_MOST: Final = 100_000
"""Values that a file may hold once its aliases are written out."""


class UnknowableError(Exception):
    """What the release makes of the file is not known to this tool. The reader of `merge` may raise it, too."""


def merge(release: Release, words: Sequence[str], read: Callable[[str], str] | None) -> tuple[list[str], list[str]]:
    """Splits a command line with `--config FILE` into the words that the file stands for, and the other words.

    `read` returns a file's text, or raises OSError or ValueError as opening it would.

    Raises:
        RefusalError: the release refuses the file.
        UnknowableError: this tool cannot tell.
    """
    if OPTION not in words or OPTION not in {option for flag in release.flags for option in flag.options}:
        return [], list(words)
    reading = config_reading(release.version)
    if reading is None:
        raise UnknowableError(f"how SGLang {release.version} reads a configuration file is not known ({LAST_READ} is)")
    if words.count(OPTION) > 1:
        refuse("config-repeated", "--config is given more than once: a release takes one file", OPTION, OPTION)
    index = words.index(OPTION)
    if index == len(words) - 1:
        refuse("config-missing", "--config has no file after it", OPTION, OPTION)
    path = words[index + 1]
    if not path:  # the launcher takes an empty name for no name, and the parser then stores it
        return [], list(words)
    if read is None:
        raise UnknowableError(f"the file {path!r} was not read")
    return _words_of(_load(path, read), reading, release.flags), [*words[:index], *words[index + 2 :]]


def _load(path: str, read: Callable[[str], str]) -> dict[Any, Any]:
    """The file's mapping."""
    if PurePath(path).suffix.lower() not in (".yaml", ".yml"):
        refuse("config-not-yaml", "the file of --config must be called .yaml or .yml", path, OPTION)
    try:
        text = read(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no text"
        refuse("config-unreadable", f"the file of --config cannot be read: {reason}", path, OPTION)
    if len(text) > _LARGEST:
        raise UnknowableError(f"the file of --config has {len(text):,} characters; this tool reads {_LARGEST:,}")
    import yaml

    try:
        data = yaml.safe_load(text)
    except Exception as error:  # what a wrong value for a tag raises is no YAMLError: KeyError, IndexError, ...
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        refuse("config-invalid", f"the file of --config is no YAML that SGLang can read{place}", path, OPTION)
    if data is None:
        return {}
    if not isinstance(data, dict):
        refuse("config-invalid", "the file of --config must hold a mapping of flags", path, OPTION)
    _bounded(data)
    return data


def _bounded(data: Any) -> None:
    """A file of some hundred bytes can stand for gigabytes of text through its aliases: count before writing out."""
    waiting, seen = [data], 0
    while waiting:
        value = waiting.pop()
        seen += 1
        if seen > _MOST:
            raise UnknowableError(f"the file of --config stands for more than {_MOST:,} values")
        if isinstance(value, dict):
            waiting.extend(value)
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif isinstance(value, set) and len(value) > 1:
            raise UnknowableError("the file of --config holds a set, whose order changes from start to start")


def _words_of(data: dict[Any, Any], reading: str, flags: Iterable[Flag]) -> list[str]:
    bare, refused = _keys(flags, reading)
    words: list[str] = []
    for key, value in data.items():
        name = key
        if reading != "bare":
            if not isinstance(key, str):
                refuse("config-invalid", f"the file of --config has a key that is no text: {key!r}", str(key), OPTION)
            name = key.replace("-", "_")
            if name in refused:
                refuse("config-unsupported", f"--{key} cannot be given in a configuration file", key, OPTION)
        words += _words(key, value, reading, name in bare)
    return words


def _words(key: Any, value: Any, reading: str, is_bare: bool) -> list[str]:
    option = f"--{key}"
    if isinstance(value, bool):
        if reading == "bare" or is_bare:
            return [option] if value else []
        return [option, str(value).lower()]
    if isinstance(value, list):
        return [option, *map(str, value)] if value else []
    if isinstance(value, dict) and reading in ("json", "spellings"):
        try:
            return [option, json.dumps(value)]
        except (TypeError, ValueError):
            refuse("config-invalid", f"{option}: the mapping holds what JSON cannot say", str(key), OPTION)
    return [option, str(value)]


def _keys(flags: Iterable[Flag], reading: str) -> tuple[set[str], set[str]]:
    """The keys of flags that take no value, and the keys that the file may not have."""
    if reading == "bare":
        return set(), set()
    every_spelling = reading == "spellings"
    bare: set[str] = set()
    refused: set[str] = set()
    allowed: set[str] = set()
    for flag in flags:
        keys = {flag.dest} | ({name.replace("-", "_") for name in flag.names} if every_spelling else set())
        if flag.action == "store_true":
            bare |= keys
        if flag.action in ("store", "store_true") or (every_spelling and _takes_one_value(flag)):
            allowed |= keys
        elif flag.action != "help" and OPTION not in flag.options:
            refused |= keys
    return bare, refused - allowed if every_spelling else refused


def _takes_one_value(flag: Flag) -> bool:
    return flag.nargs is None and flag.action not in ("store_false", "store_const", "BooleanOptionalAction")
