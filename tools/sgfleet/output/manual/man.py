"""The man page `sgfleet(1)`, in the man macros that every reader of such pages knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.output.manual.grammar import Argument, Command

EVERYWHERE: Final = (
    "As said with each command. Beside that every command ends with 2 when the call makes no sense or the system",
    "refuses what it needs (a file of another user, a full disk), unless its own list says otherwise (plan: 1, because",
    "2 says there that something changes), with 4 when sgfleet itself failed (a report without any of your data is",
    "then ready to be sent), with 130 when it was interrupted (or by that signal while it starts), with 141 when the",
    "reader of its output has left, and with 1 when its answer is lost because standard output is closed or cannot",
    "be written: whatever was found, nobody was told, and standard error says why.",
)
"""The exit codes that no command names."""
_REGISTER: Final = re.compile(r"^([.'])", re.MULTILINE)


def as_man(
    root: Command, version: str, environment: Iterable[tuple[str, str]], files: Iterable[tuple[str, str]]
) -> str:
    """The page. `environment` and `files` are names with what they mean."""
    lines = [
        '.\\" Written by `make docs`: do not edit.',
        f'.TH SGFLEET 1 "" "sgfleet {version}" "User Commands"',
        ".SH NAME",
        f"sgfleet \\- {_text(root.summary)}",
        ".SH SYNOPSIS",
        *_synopsis(root.usages),
        ".SH DESCRIPTION",
        *_paragraphs(root.description),
        ".PP",
        "Each command is described below, and by",
        ".B sgfleet",
        ".I COMMAND",
        ".BR \\-\\-help .",
        ".SH COMMANDS",
    ]
    for command in root.commands:
        for each in command.walk():
            lines += _command(each)
    lines += [
        ".SH EXIT STATUS",
        *map(_text, EVERYWHERE),
        ".SH ENVIRONMENT",
        *_terms(environment),
        ".SH FILES",
        *_terms(files),
        ".SH SEE ALSO",
        ".BR systemd.service (5),",
        ".BR git (1)",
    ]
    return "\n".join(lines) + "\n"


def _command(command: Command) -> Iterator[str]:
    yield f".SS {_text(command.name)}"
    yield from _synopsis(command.usages)
    yield ".PP"
    yield from _paragraphs(command.description or f"{command.summary[:1].upper()}{command.summary[1:]}.")
    for argument in command.arguments:
        if argument.names != ("-h", "--help"):
            yield ".TP"
            yield _head(argument)
            yield _text(argument.help or "One of the commands below.")
    if command.exits:
        yield ".PP"
        yield _text(f"Exit status: {', '.join(f'{code} {meaning}' for code, meaning in command.exits)}.")


def _synopsis(usages: Iterable[str]) -> Iterator[str]:
    for number, usage in enumerate(usages):
        if number:
            yield ".br"
        program, _, rest = usage.partition(" ")
        yield f".B {_text(program)}"
        yield _text(rest)


def _head(argument: Argument) -> str:
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in argument.names)
    value = f"\\fI{_text(argument.metavar)}\\fR" if argument.metavar else ""
    return " ".join(part for part in (names, value) if part)


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ".PP"
        for line in paragraph.splitlines():
            if line.startswith("  "):  # a listing
                yield ".br"
            yield _text(line.strip())


def _terms(terms: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, meaning in terms:
        yield ".TP"
        yield f".B {_text(name)}"
        yield _text(meaning)


def _text(text: str) -> str:
    """Text in which nothing is an instruction to the formatter, in ASCII."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return _REGISTER.sub(r"\\&\1", "".join(_character(each) for each in plain))


def _character(character: str) -> str:
    return character if character.isascii() else f"\\[u{ord(character):04X}]"
