"""What to write instead of a command line that a release refuses."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from sgfleet.engine import version as versions
from sgfleet.engine.argv.history import history
from sgfleet.engine.argv.near import nearest
from sgfleet.engine.argv.outcome import Outcome, Rejected
from sgfleet.engine.argv.parser import CommandLine, FlagAction, parser_of
from sgfleet.engine.argv.types import readable_integer, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sgfleet.engine.release import Release

_LISTED: Final = 12
"""Choices that are listed in full."""
_TOLD: Final = 3
"""Unknown options of one command line that advice is given for."""
_EXACT: Final = 2**53
"""Beyond this a float has no exact integers."""


def advised(release: Release, argv: Sequence[str], outcome: Outcome, root: Path | None = None) -> Outcome:
    """The outcome with its `help`, where this tool knows what to write instead.

    `root` is the repository, whose schemas know which release has which option.
    """
    if not isinstance(outcome, Rejected) or outcome.help is not None or outcome.kind not in _ADVICE:
        return outcome
    parser = parser_of(release)
    case = _Case(parser, list(argv), outcome, parser.options.get(outcome.option or ""), root)
    return outcome._replace(help=_ADVICE[outcome.kind](case))


@dataclasses.dataclass(frozen=True, slots=True)
class _Case:
    parser: CommandLine
    argv: list[str]
    rejected: Rejected
    action: FlagAction | None
    root: Path | None

    @property
    def token(self) -> str:
        return self.rejected.token or ""

    def option_of(self, word: str) -> FlagAction | None:
        """The flag that a word of the command line names, in full or cut short."""
        name = word if word in self.parser.options else word.partition("=")[0]
        return self.parser.options.get(name) or self.parser.options.get(self.parser.cut.get(name, ""))


def _unknown_option(case: _Case) -> str | None:
    unknown = [word for word in case.argv if word.startswith("-") and case.option_of(word) is None]
    found = [_instead_of(case, word) for word in dict.fromkeys([case.token, *unknown[:_TOLD]])]
    return "; ".join(sentence for sentence in found if sentence) or None


def _instead_of(case: _Case, word: str) -> str | None:
    token, equals, value = word.partition("=")
    dashed = "--" + token.lstrip("-").replace("_", "-")
    if dashed in case.parser.options:
        return f"write {dashed}{equals}{value}"
    elsewhere = elsewhere_of(dashed, case.parser.release.version, case.root)
    if elsewhere:
        return elsewhere
    if dashed.startswith("--no-") and f"--{dashed[5:]}" in case.parser.options:
        return f"leave --{dashed[5:]} out"
    found = nearest(dashed, case.parser.long_options)
    return f"did you mean {' or '.join(found)}?" if found else None


def _ambiguous(case: _Case) -> str:
    matches = [option for option in case.parser.options if option.startswith(case.token)]
    elsewhere = elsewhere_of(case.token, case.parser.release.version, case.root)
    return f"{elsewhere + '; ' if elsewhere else ''}write one of {', '.join(matches)}"


def elsewhere_of(option: str, release: str, root: Path | None = None) -> str | None:
    """Which other releases have an option, and what replaced it, as a sentence; None where no release is known to."""
    past = history(root).get(option)
    if past is None or any(
        versions.key(span.first) <= versions.key(release) <= versions.key(span.last) for span in past.spans
    ):
        return None
    before = [span for span in past.spans if versions.key(span.last) < versions.key(release)]
    after = [span for span in past.spans if versions.key(span.first) > versions.key(release)]
    parts = []
    if before:
        replaced = f", where it says to use {past.instead}" if past.instead else ""
        parts.append(f"{option} was removed after {before[-1].last}{replaced}")
    if after:
        parts.append(f"{option} exists from {after[0].first}")
    return "; ".join(parts)


def _unexpected_word(case: _Case) -> str | None:
    """The word follows some option: say how many words that one takes."""
    if case.token not in case.argv:
        return None
    for word in reversed(case.argv[: case.argv.index(case.token)]):
        if not word.startswith("-"):
            continue
        action = case.option_of(word)
        if action is None:
            return None
        option = action.flag.options[0]
        if action.nargs == 0 and case.token.lower() in ("false", "0", "no", "off"):
            return f"{option} takes no value: leave it out altogether"
        if action.nargs == 0:
            return f"{option} takes no value in this release: leave {case.token!a} out"
        if action.nargs in (None, "?"):
            return f"{option} takes one value: quote it if blanks belong to it"
        return None
    return "a command line of SGLang has options only: put the option's name in front"


def _missing_value(case: _Case) -> str | None:
    reader = type_of(case.action.flag) if case.action else None
    if case.action is None or reader is None:
        return None
    option = case.action.flag.options[0]
    expects = "one of its choices" if case.action.flag.choices else f"{reader.expects}, for example {reader.example}"
    return f"write {option} VALUE ({expects}); a value that begins with a dash is written {option}=-VALUE"


def _unexpected_value(case: _Case) -> str | None:
    if case.action is None:
        return None
    option = case.action.flag.options[0]
    twin = f", or --no-{option[2:]}" if case.action.flag.action == "BooleanOptionalAction" else ""
    return f"write {option} alone for true{twin or ', leave it out for false'}"


def _invalid_choice(case: _Case) -> str | None:
    if case.action is None or not case.action.flag.choices:
        return None
    choices = [str(choice) for choice in case.action.flag.choices]
    if len(choices) <= _LISTED:
        return f"write one of {', '.join(choices)}"
    found = nearest(case.token, choices)
    if found:
        return f"did you mean {' or '.join(found)}?"
    return f"one of {len(choices)} choices, such as {', '.join(choices[:_LISTED])}"


def _invalid_type(case: _Case) -> str | None:
    reader = type_of(case.action.flag) if case.action else None
    if reader is None:
        return None
    number = _whole(case.token) if reader.shape == "integer" else None
    return f"write {number}" if number is not None else f"for example {reader.example}"


def _whole(word: str) -> int | None:
    """The integer that somebody means with 8k, 8Ki or 8.0."""
    try:
        return readable_integer(word)
    except ValueError:
        pass
    try:
        value = float(word)
    except ValueError:
        return None
    return int(value) if value.is_integer() and abs(value) < _EXACT else None


def _deprecated(case: _Case) -> str | None:
    deprecation = case.action.flag.deprecation if case.action else None
    return f"use {deprecation.instead}" if deprecation and deprecation.instead else "leave it out"


def _required(case: _Case) -> str | None:
    return f"add {case.rejected.option} VALUE"


def _help(case: _Case) -> str | None:
    return f"leave {case.token} out"


_ADVICE: Final[dict[str, Callable[[_Case], str | None]]] = {
    "unknown-option": _unknown_option,
    "ambiguous-option": _ambiguous,
    "unexpected-word": _unexpected_word,
    "missing-value": _missing_value,
    "unexpected-value": _unexpected_value,
    "invalid-choice": _invalid_choice,
    "invalid-type": _invalid_type,
    "deprecated-rejected": _deprecated,
    "required-missing": _required,
    "help-requested": _help,
}
