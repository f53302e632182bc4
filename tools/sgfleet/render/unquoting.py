"""systemd's notations back into text: the inverse of `quoting`, for units that people wrote as well.

Follows systemd 252: quotes may start inside of a word, an unknown escape stays as it is written, `;` alone parts two
commands, `$NAME` alone splits into words and `${NAME}` does not. What depends on the host or the unit's name
(specifiers, variables that are not given) stays as it is written and is listed as `unresolved`.

Bytes that are not UTF-8 come out as lone surrogates (`surrogateescape`), which `quoting` refuses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from sgfleet.render.characters import NONCHARACTERS, SURROGATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BLANKS: Final = " \t\n\r"
_PREFIXES: Final = "@-:+!|"
_ESCAPE: Final = re.compile(r"x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{3}|[abfnrtv\\\"'s]")
_SIMPLE: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " "}
_SPECIFIER: Final = re.compile("%(.)", re.DOTALL)
_VARIABLE_WORD: Final = re.compile(r"\$(?![{$])(.*)", re.DOTALL)
_VARIABLE: Final = re.compile(r"\$(?:\$|\{([^:}]*)(\}|\Z))")
_VARIABLE_NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_NOT_IN_VALUE: Final = re.compile(f"[{SURROGATES}{NONCHARACTERS}]")
_ASSIGNMENT: Final = re.compile("([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class Unreadable(ValueError):  # noqa: N818 - a property of the text, not a fault of the program
    """systemd drops the setting. `reason` is lower case, without a full stop, and holds nothing of the value."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Command:
    """One command of `ExecStart=`. `argv` starts with argv[0], which is `path` unless `prefixes` hold an `@`.

    `unresolved` are the specifiers (`%i`) and variables (`$HOME`) that still stand in `path` and `argv`.
    """

    prefixes: str
    path: str
    argv: tuple[str, ...]
    unresolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assignment:
    """One variable of `Environment=`. `unresolved` are the specifiers that still stand in `value`."""

    name: str
    value: str
    unresolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variables:
    """What one `Environment=` value sets, in its order, and what systemd drops of it, as it is written.

    A word that is no assignment is dropped alone; at a quote that does not close, and at an escape that is none, all
    the rest is.
    """

    assignments: tuple[Assignment, ...]
    dropped: tuple[str, ...] = ()


def split_words(value: str) -> list[str]:
    """The words of a value, quotes and escapes resolved, specifiers and variables not."""
    return [word for word, _, _ in _words(value)]


def read_exec(
    value: str, environment: Mapping[str, str] = _NONE, specifiers: Mapping[str, str] = _NONE
) -> list[Command]:
    """The commands of one `ExecStart=` value. `specifiers` maps letters to text, `environment` variables to values."""
    commands: list[Command] = []
    words: list[str] = []
    for word, start, end in _words(value):
        raw = value[start:end]
        if raw == ";":
            commands += [_command(words, environment, specifiers)] if words else []
            words = []
        else:
            words.append(";" if words and raw == r"\;" else word)
    return [*commands, _command(words, environment, specifiers)] if words else commands


def read_environment(value: str, specifiers: Mapping[str, str] = _NONE) -> Variables:
    """The variables of one `Environment=` value."""
    assignments: list[Assignment] = []
    dropped: list[str] = []
    read_to = 0
    try:
        for word, start, read_to in _words(value, strict=True):
            unresolved: list[str] = []
            found = _ASSIGNMENT.fullmatch(_resolve_specifiers(word, specifiers, unresolved))
            if found and not _NOT_IN_VALUE.search(found[2]):
                assignments.append(Assignment(found[1], found[2], tuple(unresolved)))
            else:
                dropped.append(value[start:read_to])
    except Unreadable:
        dropped.append(value[read_to:].strip(_BLANKS))
    return Variables(tuple(assignments), tuple(dropped))


def _command(words: list[str], environment: Mapping[str, str], specifiers: Mapping[str, str]) -> Command:
    unresolved: list[str] = []
    path = words[0].lstrip(_PREFIXES)
    prefixes = words[0][: len(words[0]) - len(path)]
    path, *rest = (_resolve_specifiers(word, specifiers, unresolved) for word in [path, *words[1:]])
    if "@" in prefixes and not rest:
        raise Unreadable("@ asks for a second word, the process's argv[0]")
    argv = rest if "@" in prefixes else [path, *rest]
    if ":" not in prefixes:
        argv = [resolved for word in argv for resolved in _resolve_variables(word, environment, unresolved)]
    return Command(prefixes, path, tuple(argv), tuple(unresolved))


def _words(value: str, *, strict: bool = False) -> Iterator[tuple[str, int, int]]:
    """Each word, and where the text that it was written as starts and ends. `strict` takes no unknown escapes."""
    position, end = 0, len(value)
    while True:
        while position < end and value[position] in _BLANKS:
            position += 1
        if position == end:
            return
        start = position
        word, position = _word(value, start, strict=strict)
        yield word, start, position


def _word(value: str, position: int, *, strict: bool) -> tuple[str, int]:
    collected = bytearray()
    quote = ""
    while position < len(value):
        character = value[position]
        if character == "\\":
            unescaped, position = _escape(value, position, strict=strict)
            collected += unescaped
            continue
        position += 1
        if quote:
            if character == quote:
                quote = ""
                continue
        elif character in "\"'":
            quote = character
            continue
        elif character in _BLANKS:
            position -= 1
            break
        collected += character.encode(errors="surrogateescape")
    if quote:
        raise Unreadable(f"a quote {quote} is not closed")
    return collected.decode(errors="surrogateescape"), position


def _escape(value: str, position: int, *, strict: bool) -> tuple[bytes, int]:
    """The bytes of the escape whose backslash stands at `position`, and where it ends."""
    found = _ESCAPE.match(value, position + 1)
    if found:
        text = found[0]
        if text in _SIMPLE:
            return _SIMPLE[text].encode(), found.end()
        if text in "\\\"'":
            return text.encode(), found.end()
        code = int(text, 8) if text[0].isdigit() else int(text[1:], 16)
        if text[0] in "uU":
            if 0 < code < 0x110000:
                return chr(code).encode(errors="surrogatepass"), found.end()
        elif 0 < code < 0x100:
            return bytes([code]), found.end()
    if position + 1 == len(value) or strict:
        raise Unreadable("a backslash starts no escape")
    following = value[position + 1]
    return b"\\" + following.encode(errors="surrogateescape"), position + 2


def _resolve_specifiers(word: str, specifiers: Mapping[str, str], unresolved: list[str]) -> str:
    def resolved(found: re.Match[str]) -> str:
        if found[1] == "%":
            return "%"
        if found[1] not in specifiers:
            unresolved.append(found[0])
        return specifiers.get(found[1], found[0])

    return _SPECIFIER.sub(resolved, word)


def _resolve_variables(word: str, environment: Mapping[str, str], unresolved: list[str]) -> list[str]:
    whole = _VARIABLE_WORD.fullmatch(word)
    if whole:
        if whole[1] in environment:
            return split_words(environment[whole[1]])
        if not _VARIABLE_NAME.fullmatch(whole[1]):
            return []  # such a variable is never set, and systemd drops the word
        unresolved.append(word)
        return [word]

    def resolved(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        if not found[2]:  # without its brace, all that follows is literal
            return found[0]
        if not _VARIABLE_NAME.fullmatch(found[1]):
            return ""
        if found[1] not in environment:
            unresolved.append(found[0])
        return environment.get(found[1], found[0])

    return [_VARIABLE.sub(resolved, word)]
