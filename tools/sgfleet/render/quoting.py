"""Text into the notations of a systemd unit, so that every byte arrives.

systemd has three of them, and each setting uses one:

- **words of a command** (`ExecStart=`): blanks split, both kinds of quote group, C escapes and specifiers (`%`) are
  resolved inside and outside of quotes, and after that variables (`$`), also inside of quotes;
- **assignments** (`Environment=`): the same, with `$` left alone;
- **plain values** (`Description=`, `WorkingDirectory=`, `User=`): specifiers only. No quotes, no escapes: what such a
  value cannot hold is refused.

Nothing here does I/O. What cannot be carried raises `Unquotable`. Checked with systemd 252; `unquoting` is the inverse.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NoReturn

from sgfleet.render import characters
from sgfleet.render.unquotable import Unquotable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WORD_MAX_BYTES: Final = 131_071
"""One argument, or one `NAME=VALUE`: the kernel's MAX_ARG_STRLEN, 32 pages of 4 KiB, less the NUL. Beyond it: E2BIG."""
LINE_MAX_BYTES: Final = 1_048_575
"""One line of a unit, continuations included: systemd's LONG_LINE_MAX of 1 MiB. Beyond it the unit does not load."""
PROCESS_MAX_BYTES: Final = 2_097_152
"""All arguments and variables of a process with their NULs and pointers: a quarter of the 8 MiB stack limit."""
PROCESS_RESERVE_BYTES: Final = 65_536
"""Of that, left for what the unit does not show: systemd's own variables (about 1 KiB) and environment files."""
PATH_MAX_BYTES: Final = 4_095
"""A path: the kernel's PATH_MAX less the NUL."""
UNIT_NAME_MAX_BYTES: Final = 255

_BARE_WORD: Final = re.compile(r"[A-Za-z0-9_./:=,+@^-]+")
_VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNIT_NAME: Final = re.compile(
    r"(?P<prefix>[A-Za-z0-9:_.\\-]+)(?P<at>@(?P<instance>[A-Za-z0-9:_.\\@-]*))?"
    r"\.(?:service|socket|target|device|mount|automount|swap|timer|path|slice|scope)"
)
_NOT_IN_EXECUTABLE: Final = re.compile(r"""[\x00-\x1f\x7f"'\\]""")
_GLOB: Final = re.compile(r"[*?\[\\]")


def _each(ranges: str) -> list[str]:
    """Every character of a regular expression's class, which is written without escapes."""
    found: list[str] = []
    position = 0
    while position < len(ranges):
        if ranges[position + 1 : position + 2] == "-":
            found += map(chr, range(ord(ranges[position]), ord(ranges[position + 2]) + 1))
            position += 3
        else:
            found.append(ranges[position])
            position += 1
    return found


def _escapes() -> dict[int, str]:
    table = {ord(c): f"\\x{ord(c):02x}" for c in _each(characters.C0)}
    for c in _each(characters.C1 + characters.INVISIBLE):
        table[ord(c)] = f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"
    for c in _each(characters.NONCHARACTERS):  # byte by byte: systemd need not take such a code point after \u
        table[ord(c)] = "".join(f"\\x{byte:02x}" for byte in c.encode())
    return table | {ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r", ord("\\"): "\\\\", ord("%"): "%%"}


_ASSIGNMENT_ESCAPES: Final = _escapes()
_WORD_ESCAPES: Final = _ASSIGNMENT_ESCAPES | {ord("$"): "$$"}


def _quoted(text: str, escapes: dict[int, str]) -> str:
    """In double quotes; in single ones where that leaves a text with `"` in it, such as JSON, as it is."""
    escaped = text.translate(escapes)
    if '"' in text and "'" not in text:
        return f"'{escaped}'"
    return '"' + escaped.replace('"', '\\"') + '"'


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _refuse(pattern: re.Pattern[str], text: str, what: str, why: str, help: str | None = None) -> None:  # noqa: A002
    if found := pattern.search(text):
        _refuse_character(found, what, why, help)


def _refuse_character(found: re.Match[str], what: str, why: str, help: str | None = None) -> NoReturn:  # noqa: A002
    raise Unquotable(f"{what} holds {characters.name_of(found[0])}: {why}", at=found.start(), help=help)


def _refuse_no_text(text: str, what: str) -> None:
    _refuse(characters.NUL_OR_SURROGATE, text, what, "no process can receive it")


def exec_word(text: str) -> str:
    """One argument of a command, as `ExecStart=` wants it written. Not the executable: see `executable`.

    Noncharacters pass, as systemd passes them on; `blinds_systemctl` says what they cost.
    """
    if _BARE_WORD.fullmatch(text) and len(text) <= WORD_MAX_BYTES:
        return text
    _refuse_no_text(text, "an argument")
    if len(text) * 4 > WORD_MAX_BYTES and (size := _size(text)) > WORD_MAX_BYTES:
        raise Unquotable(f"an argument of {size} bytes: the kernel takes at most {WORD_MAX_BYTES} in one")
    return _quoted(text, _WORD_ESCAPES)


def blinds_systemctl(text: str) -> int | None:
    """Where an argument holds a noncharacter, which makes a unit work and its state unreadable. None: nowhere.

    The process receives it, but systemd then answers no question about the unit: `systemctl show` (of any property) and
    `systemctl status` fail with "Invalid argument", because the command is a property and D-Bus takes no such string.
    """
    found = characters.NONCHARACTER.search(text)
    return found.start() if found else None


def executable(path: str) -> str:
    """The first word of `ExecStart=`: the program, which is also the process's argv[0].

    An absolute path only: systemd searches for others in its own fixed folders, and reads a leading `@ - : + ! |` as
    a switch. Where an argument may hold anything, systemd refuses quotes, backslashes and control characters here.
    """
    what = "an executable's path"
    if not path.startswith("/"):
        raise Unquotable(f"{what} must be absolute", at=0, help="write the path from / on")
    if path.endswith("/"):
        raise Unquotable(f"{what} ends in a slash: that is a folder", at=len(path) - 1)
    _refuse_no_text(path, what)
    _refuse(_NOT_IN_EXECUTABLE, path, what, "systemd refuses the unit", "install it under another path")
    _refuse(characters.NONCHARACTER, path, what, "systemctl could not read the unit's state")
    for taken in ("$$", "${"):
        if taken in path:
            raise Unquotable(f"{what} holds {taken}: systemd would resolve it in argv[0]", at=path.index(taken))
    if (size := _size(path)) > PATH_MAX_BYTES:
        raise Unquotable(f"{what} has {size} bytes: the kernel takes at most {PATH_MAX_BYTES}")
    return path if _BARE_WORD.fullmatch(path) else _quoted(path, _ASSIGNMENT_ESCAPES)


def exec_lines(groups: Iterable[Sequence[str]]) -> list[str]:
    """A command as lines, one a group: `[[program, "-m", "module"], ["--tp-size", "8"], ["--trust-remote-code"]]`.

    The first word of all is the executable. The lines carry neither indentation nor the backslashes that join them:
    `unit_text.Setting.wrapped` adds both. Where words are grouped makes no difference to what arrives.
    """
    lines: list[str] = []
    for group in groups:
        quoted = [exec_word(word) if lines or number else executable(word) for number, word in enumerate(group)]
        if quoted:
            lines.append(" ".join(quoted))
    if not lines:
        raise Unquotable("a command without words")
    return lines


def environment_assignment(name: str, value: str) -> str:
    """`NAME=VALUE` as `Environment=` wants it written. `$` is literal there."""
    if not _VARIABLE_NAME.fullmatch(name):
        reason = "has no name" if not name else f"is named {name[:40]!a}"
        raise Unquotable(
            f"an environment variable {reason}: systemd drops the assignment",
            help="letters, digits and underscores of ASCII, not starting with a digit",
        )
    text = f"{name}={value}"
    if _BARE_WORD.fullmatch(text) and len(text) <= WORD_MAX_BYTES:
        return text
    what = f"the environment variable {name}"
    _refuse_no_text(value, what)
    _refuse(characters.NONCHARACTER, value, what, "systemd drops the assignment")
    if (size := _size(text)) > WORD_MAX_BYTES:
        raise Unquotable(f"{what} has {size} bytes with its name: the kernel takes at most {WORD_MAX_BYTES}")
    return _quoted(text, _ASSIGNMENT_ESCAPES)


def refuse_oversize(argv: Sequence[str], environment: Mapping[str, str]) -> None:
    """Raise where arguments and variables together are more than the kernel starts a process with.

    Each counts with its NUL and its pointer, the executable once more. Holds for the usual 8 MiB of `LimitSTACK=`.
    """
    strings = sum(_size(word) + 1 for word in argv) + sum(_size(k) + _size(v) + 2 for k, v in environment.items())
    size = strings + (_size(argv[0]) + 1 if argv else 0) + 8 * (len(argv) + len(environment))
    room = PROCESS_MAX_BYTES - PROCESS_RESERVE_BYTES
    if size > room:
        raise Unquotable(
            f"arguments and environment take {size} bytes: the kernel starts a process with {PROCESS_MAX_BYTES}, "
            f"and {PROCESS_RESERVE_BYTES} are kept for systemd's own variables and environment files"
        )


def plain_value(text: str) -> str:
    """The value of a setting that systemd reads without quotes: `Description=`, `User=`, `Documentation=`.

    Such a value has no escapes: line breaks, control characters, blanks at an end and a trailing backslash are refused.
    """
    what = "a plain value"
    if found := characters.unfit(text):
        _refuse_character(found, what, "the setting has no way to write it")
    if text != text.strip(" "):
        at = 0 if text.startswith(" ") else len(text) - 1
        raise Unquotable(f"{what} starts or ends with a blank: systemd strips it", at=at)
    if (len(text) - len(text.rstrip("\\"))) % 2:
        raise Unquotable(f"{what} ends in a backslash: systemd reads on in the next line", at=len(text) - 1)
    return text.replace("%", "%%")


def path_value(path: str, *, globbed: bool = False) -> str:
    """The value of a setting that is one absolute path: `WorkingDirectory=`, or with `globbed` `EnvironmentFile=`."""
    if not path.startswith("/"):
        raise Unquotable("a path must be absolute", at=0, help="write the path from / on")
    if (size := _size(path)) > PATH_MAX_BYTES:
        raise Unquotable(f"a path has {size} bytes: the kernel takes at most {PATH_MAX_BYTES}")
    if globbed:
        _refuse(_GLOB, path, "a path", "systemd reads it as a pattern")
    return plain_value(path)


def unit_list(names: Iterable[str]) -> str:
    """The value of a setting that is a list of units: `After=`, `Wants=`, `WantedBy=`. An empty list is empty text."""
    return " ".join(map(unit_name, names))


def unit_name(name: str) -> str:
    """The name itself, if it is one that a dependency can be on: known suffix, known characters, no bare template."""
    shown = ascii(name[:80])
    found = _UNIT_NAME.fullmatch(name)
    if not found:
        raise Unquotable(
            f"{shown} is no unit's name: systemd drops the dependency",
            help="letters, digits and : - _ . \\ @, then a suffix such as .service, .target or .mount",
        )
    if len(name) > UNIT_NAME_MAX_BYTES:
        raise Unquotable(f"a unit's name has {len(name)} characters: systemd takes at most {UNIT_NAME_MAX_BYTES}")
    if found["at"] and not found["instance"]:
        raise Unquotable(f"{shown} is a template: no unit can depend on it", help="write NAME@INSTANCE.service")
    return name
