"""The flags of a spec -> the command line that gives exactly them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.argv.values import SEVERAL, BadValueError, Problem, check_value, word_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgfleet.engine.flag import Flag
    from sgfleet.engine.release import Release

_NEGATIVE_NUMBER: Final = re.compile(r"-\d+|-\d*\.\d+")
"""Words with a dash in front that argparse takes for values: no SGLang option looks like a negative number."""


@dataclass(frozen=True, slots=True)
class FlagProblem:
    """Why a flag of the spec has no place on the release's command line.

    `problem.kind` is one of those of `values.Problem`, or "unknown-flag" (the release declares no such name), or
    "twice" (two names of the spec set the same thing, and the parser would silently keep one).
    """

    name: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The words after `python -m sglang.launch_server`; they are complete only where `problems` is empty."""

    words: tuple[str, ...]
    problems: tuple[FlagProblem, ...] = ()


def flags_to_argv(release: Release, flags: Mapping[str, Any], texts: Mapping[str, str] | None = None) -> CommandLine:
    """The command line for the `flags:` mapping of a spec (declared names without dashes -> YAML values).

    Flags come in the order in which the release declares them, under the names that the spec uses. `null` leaves a flag
    out, and so does false where a flag is only given for true. A list becomes several words, a mapping compact JSON
    with its keys in the order of the spec. `texts` holds the source text of scalars: a number keeps its spelling.

    What comes out without a problem reads back: the release's parser then holds `values.value_of` for each flag.
    """
    problems: list[FlagProblem] = []
    chosen: list[tuple[int, str, Flag, Any]] = []
    for name, value in flags.items():
        flag = release.by_name.get(name)
        if flag is None:
            problem: Problem | None = Problem("unknown-flag", f"SGLang {release.version} has no flag {name}")
        else:
            problem = check_value(flag, value, name)
            chosen.append((release.order[name], name, flag, value))
        if problem is not None:
            problems.append(FlagProblem(name, problem))
    problems += _twice(chosen)
    words: list[str] = []
    if not problems:
        for _, name, flag, value in sorted(chosen, key=lambda choice: choice[0]):
            try:
                words += _words(flag, name, value, (texts or {}).get(name))
            except BadValueError as bad:
                problems.append(FlagProblem(name, bad.problem))
    return CommandLine(tuple(words), tuple(problems))


def _twice(chosen: Iterable[tuple[int, str, Flag, Any]]) -> list[FlagProblem]:
    first: dict[str, str] = {}
    problems = []
    for _, name, flag, value in chosen:
        if value is None:
            continue
        if flag.dest in first:
            message = f"{name} and {first[flag.dest]} set the same thing: the server would keep one of them"
            problems.append(FlagProblem(name, Problem("twice", message, f"write one of {name} and {first[flag.dest]}")))
        first.setdefault(flag.dest, name)
    return problems


def _words(flag: Flag, name: str, value: Any, text: str | None) -> list[str]:
    """The words of one checked flag.

    Raises:
        BadValueError: a word that no command line can carry.
    """
    option = f"--{name}"
    if value is None:
        return []
    if flag.nargs == 0:
        return _bare(flag, option, value)
    if flag.nargs == "?" and value is True:
        return [option]
    if flag.action == "append":
        return [word for item in value for word in _single(option, word_of(flag, item))]
    if flag.nargs in SEVERAL or isinstance(flag.nargs, int):
        return _list(flag, option, value)
    return _single(option, word_of(flag, value, text))


def _bare(flag: Flag, option: str, value: bool) -> list[str]:
    if value:
        return [option]
    if flag.action != "BooleanOptionalAction":
        return []
    name = option.removeprefix("--")
    twin = f"--{name.removeprefix('no-')}" if name.startswith("no-") else f"--no-{name}"
    return [twin]


def _single(option: str, word: str) -> list[str]:
    _sayable(option, word)
    return [f"{option}={word}"] if word.startswith("-") else [option, word]


def _list(flag: Flag, option: str, items: list[Any]) -> list[str]:
    words = [_positional(word_of(flag, item), item) for item in items]
    for word in words:
        _sayable(option, word)
    dashed = [word for word in words if word.startswith("-") and not _NEGATIVE_NUMBER.fullmatch(word)]
    if not dashed:
        return [option, *words]
    if len(words) == 1 and flag.nargs in SEVERAL:
        return [f"{option}={words[0]}"]
    message = f"{option.removeprefix('--')}: the parser takes {dashed[0]!a} for an option, since it begins with a dash"
    raise BadValueError("no-word", message, "give it alone, or write it so that it begins with something else")


def _positional(word: str, item: Any) -> str:
    """A negative number with an exponent looks like an option; written out it is a number again."""
    if isinstance(item, float) and word.startswith("-") and "e" in word:
        return format(Decimal(word), "f")
    return word


def _sayable(option: str, word: str) -> None:
    name = option.removeprefix("--")
    if word == "--":
        raise BadValueError("no-word", f"{name}: argparse drops the word --, so it cannot be a value")
    if "\x00" in word:
        raise BadValueError("no-word", f"{name}: a command line cannot hold a NUL character")
    try:
        word.encode()
    except UnicodeEncodeError:
        raise BadValueError("no-word", f"{name}: a character that is no Unicode") from None
