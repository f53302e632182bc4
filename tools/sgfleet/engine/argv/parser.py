"""A release's flags as an argparse parser that answers with data: it prints nothing and ends no process.

The release's own parser is an `argparse.ArgumentParser`, so the matching of words to options (abbreviations, `=`, `--`,
negative numbers) is left to argparse itself. It is that of the Python which runs this code; argparse differs in corners
between Python versions, and the server's verdict is that of its own Python.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final, NoReturn

from sgfleet.engine.argv.actions import WORDLESS, Effect, Use, effect_of, refuse
from sgfleet.engine.argv.types import RefusedError, Type, type_of
from sgfleet.engine.flag import SUPPRESSED, Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.engine.release import Release

HELP: Final = Flag(("-h", "--help"), "help", action="help", nargs=0, default=SUPPRESSED)
"""What argparse adds to every parser."""


_PART: Final = 256
"""Words that argparse is given at once; no command line of a person has as many."""


class FlagAction(argparse.Action):
    """A flag in the parser: remembers that it was used, then does what the release's action does."""

    def __init__(self, flag: Flag) -> None:
        super().__init__(
            flag.options,
            flag.dest,
            nargs=0 if flag.action in WORDLESS else flag.nargs,
            const=flag.const,
            default=argparse.SUPPRESS,  # the defaults are put into the namespace beforehand, see CommandLine.defaults
            choices=flag.choices,
            required=flag.required,
        )
        self.flag = flag
        self.reader: Type | None = type_of(flag)
        self.effect: Effect | None = effect_of(flag)

    @property
    def opaque(self) -> bool:
        """Whether this project knows too little of the flag to judge its use."""
        return self.flag.opaque or self.reader is None or self.effect is None

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Called by argparse for each use."""
        option = option_string or self.flag.options[0]
        if isinstance(parser, CommandLine):
            parser.used.append((self, option))
        if self.effect is not None:
            before = getattr(namespace, self.dest, None)
            setattr(namespace, self.dest, self.effect(Use(self.flag, values, option, before)))


class CommandLine(argparse.ArgumentParser):
    """The parser of one release: built once (`parser_of`), used for any number of command lines, one at a time."""

    def __init__(self, release: Release) -> None:
        super().__init__(prog="sglang", add_help=False, exit_on_error=False)
        self.release = release
        self.used: list[tuple[FlagAction, str]] = []
        self.cut: dict[str, str] = {}
        """Abbreviation as written -> the option that it stands for, of the command line at hand."""
        flags = release.flags if "help" in {flag.action for flag in release.flags} else (HELP, *release.flags)
        self.flag_actions = [FlagAction(flag) for flag in flags]
        for action in self.flag_actions:
            self._add_action(action)  # add_argument does this, after it has built a help formatter to check the metavar
        self.options: dict[str, FlagAction] = {
            option: action for action in self.flag_actions for option in action.flag.options
        }
        self.opaque = tuple(action for action in self.flag_actions if action.opaque)
        self.long_options = tuple(option for option in self.options if option.startswith("--"))
        self.defaults = _defaults(self.flag_actions)

    def read(self, words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
        """The namespace and the words that belong to no option; `used` and `cut` tell how it came about.

        Raises:
            RefusalError: the release refuses the command line.
        """
        self.used.clear()
        self.cut.clear()
        namespace = argparse.Namespace()
        vars(namespace).update(self.defaults)
        try:
            return self._in_parts(list(words), namespace)
        except argparse.ArgumentError as error:  # all others are raised as refusals below
            if error.argument_name is None:  # from Python 3.13 on: a required option is missing
                self.error(error.message)
            option = (error.argument_name or "").partition("/")[0]
            refuse("unexpected-value", f"{option} takes no value", option=option)

    def _in_parts(self, words: list[str], namespace: argparse.Namespace) -> tuple[argparse.Namespace, list[str]]:
        """As argparse reads all words at once, in time that grows with their number: for each option it looks at every
        other one, so a long command line is given to it in parts that begin with an option.
        """
        starts = self._starts(words)
        if len(starts) == 1:
            return self.parse_known_args(words, namespace)
        rest: list[str] = []
        required = [action for action in self.flag_actions if action.required]
        try:
            for action in required:
                action.required = False  # no single part has all of them
            for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
                rest += self.parse_known_args(words[start:end], namespace)[1]
        finally:
            for action in required:
                action.required = True
        if not {action for action, _ in self.used}.issuperset(required):
            self.error("")
        return namespace, rest

    def _starts(self, words: list[str]) -> list[int]:
        """Where parts may begin: at words that argparse takes for options; behind `--` there are none."""
        starts = [0]
        if len(words) <= _PART:
            return starts
        for at, word in enumerate(words):
            if word == "--":
                break
            if self._parse_optional(word) is not None and at - starts[-1] >= _PART:  # refuses what is ambiguous
                starts.append(at)
        return starts

    def error(self, message: str) -> NoReturn:
        """Called by argparse when a required option is missing; its other errors are raised below, before they come."""
        used = {action for action, _ in self.used}
        missing = [action.flag.options[0] for action in self.flag_actions if action.required and action not in used]
        if not missing:
            refuse("crash", message)
        plural = "s" if len(missing) > 1 else ""
        refuse("required-missing", f"the required option{plural} {', '.join(missing)} is missing", option=missing[0])

    def _get_option_tuples(self, option_string: str) -> Any:
        found = super()._get_option_tuples(option_string)
        token = option_string.partition("=")[0]
        matches = [match[1] for match in found]
        if len(matches) > 1:
            refuse("ambiguous-option", f"{shown(token)} is short for more than one option: {', '.join(matches)}", token)
        if matches:
            self.cut[token] = matches[0]
        return found

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError:
            option = action.option_strings[0]
            wanted = "at least one value" if action.nargs == "+" else "a value"
            refuse("missing-value", f"{option} needs {wanted}", option, option)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        reader = action.reader if isinstance(action, FlagAction) else None
        if reader is None or reader.read is str:
            return arg_string
        option = action.option_strings[0]
        try:
            return reader.read(arg_string)
        except RefusedError as error:
            refuse("invalid-type", f"{option}: {error}", arg_string, option)
        except (ValueError, TypeError):
            refuse("invalid-type", f"{option} wants {reader.expects}, not {shown(arg_string)}", arg_string, option)
        except RecursionError:
            refuse("crash", f"{option}: the value is nested too deeply for the release's parser", arg_string, option)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            option = action.option_strings[0]
            refuse("invalid-choice", f"{option} has no choice {shown(str(value))}", str(value), option)


def shown(word: str, limit: int = 60) -> str:
    """A word in quotes for a message, cut to a readable length, with nothing in it that a terminal would act on."""
    return ascii(word) if len(word) <= limit else f"{word[:limit]!a}..."


def _defaults(actions: Sequence[FlagAction]) -> dict[str, Any]:
    """Destination -> default, as argparse sets it up: the first flag of a destination decides, text passes its type."""
    defaults: dict[str, Any] = {}
    for action in actions:
        flag = action.flag
        if flag.default == SUPPRESSED or flag.dest in defaults:
            continue
        text = isinstance(flag.default, str) and action.reader is not None
        defaults[flag.dest] = action.reader.read(flag.default) if text and action.reader else flag.default
    return defaults


_BUILT: Final[dict[int, CommandLine]] = {}


def parser_of(release: Release) -> CommandLine:
    """The release's parser, built once for as long as the process lives."""
    found = _BUILT.get(id(release))
    if found is None or found.release is not release:
        found = _BUILT[id(release)] = CommandLine(release)
    return found
