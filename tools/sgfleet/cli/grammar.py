"""The parsers of all commands -> plain data, from which completion, the man page and the reference are made.

A new command is in all of them without a word here: its module, its parser and its docstring say everything. Which
kind of thing a value is follows from its metavar.
"""

from __future__ import annotations

import argparse
import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sgfleet.output.manual.grammar import Argument, Command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.output.manual.grammar import Kind

_KINDS: Final[dict[str, Kind]] = {
    "HOST[/SERVICE]": "target",
    "HOST/SERVICE": "service",
    "SERVICE": "text",
    "HOST": "host",
    "RELEASE": "release",
    "R": "release",
    "OLD": "release",
    "NEW": "release",
    "DIR": "folder",
    "CODE": "rule",
    "PATH": "file",
    "SOURCE": "file",
}
_FILE: Final = re.compile(r"(?:FILE|[A-Z]+)(?:\.[a-z]+)|FILE")
_EXITS: Final = re.compile(r"^Exit codes?: (.+?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)


def grammar() -> Command:
    """Every command of this version, below a root that stands for `sgfleet` itself."""
    from sgfleet.cli.main import commands, module_of, overview, parser_of

    with _wide():
        below = tuple(_command(parser_of(name), (name,), str(module_of(name).SUMMARY)) for name in commands())
        root = overview()
        return Command(
            words=(),
            summary="GitOps for GPU hosts that serve LLMs with SGLang under systemd",
            description=root.description or "",
            usages=(str(root.usage),),
            arguments=tuple(_arguments(root)),
            commands=below,
        )


@contextmanager
def _wide() -> Iterator[None]:
    """argparse breaks lines by the terminal: here they are as long as they are."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "10000"
    try:
        yield
    finally:
        del os.environ["COLUMNS"]
        if before is not None:
            os.environ["COLUMNS"] = before


def _command(parser: argparse.ArgumentParser, words: tuple[str, ...], summary: str) -> Command:
    description, exits = split_exits(parser.description or "")
    return Command(
        words=words,
        summary=summary,
        description=description,
        usages=tuple(line.strip() for line in parser.format_usage().removeprefix("usage: ").splitlines()),
        arguments=tuple(_arguments(parser)),
        exits=exits,
        commands=tuple(_subcommands(parser, words)),
    )


def split_exits(text: str) -> tuple[str, tuple[tuple[int, str], ...]]:
    """A command's docstring -> the text without, and the codes of, its paragraph `Exit codes: 0 …, 1 ….`"""
    match = _EXITS.search(text)
    if match is None:
        return text.strip(), ()
    said = " ".join(match[1].split()).removesuffix(".")
    parts = re.split(r"[,;] (?=[0-9]+ )", said)
    codes = [part.split(" ", 1) for part in parts]
    rest = f"{text[: match.start()].rstrip()}\n\n{text[match.end() :].lstrip()}"
    return rest.strip(), tuple((int(code), meaning) for code, meaning in codes)


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return parser._actions  # noqa: SLF001 - argparse shows what was declared nowhere else


def _subcommands(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> Iterator[Command]:
    for action in _actions(parser):
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - the class has no public name
            summaries = {choice.dest: choice.help for choice in action._choices_actions}  # noqa: SLF001 - as above
            for name, below in action.choices.items():
                yield _command(below, (*words, name), summaries.get(name) or "")


def _arguments(parser: argparse.ArgumentParser) -> Iterator[Argument]:
    for action in _actions(parser):
        if isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS:  # noqa: SLF001 - as above
            continue
        yield _argument(action)


def _argument(action: argparse.Action) -> Argument:
    text = (action.help or "").replace("%%", "%")
    if isinstance(action, argparse._HelpAction):  # noqa: SLF001 - the class has no public name
        text = "print this text and end"
    if action.nargs == 0:
        return Argument(tuple(action.option_strings), "", text, "switch")
    words = tuple(str(choice) for choice in action.choices or ())
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper().replace("_", "-")
    many = action.nargs in {"*", "+", argparse.REMAINDER}
    repeats = isinstance(action, argparse._AppendAction)  # noqa: SLF001 - the class has no public name
    return Argument(tuple(action.option_strings), name, text, _kind(action, name, words), words, many, repeats)


def _kind(action: argparse.Action, name: str, words: tuple[str, ...]) -> Kind:
    if words:
        return "words"
    if "--host" in action.option_strings and name in {"HOST", "NAME"}:
        return "host"
    if _FILE.fullmatch(name):
        return "file"
    return _KINDS.get(name, "text")
