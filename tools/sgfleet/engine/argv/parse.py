"""A command line -> what a release's own parser makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.engine.argv import config, launcher
from sgfleet.engine.argv.actions import RefusalError
from sgfleet.engine.argv.outcome import Given, Note, NotKnown, Outcome, Parsed, Rejected
from sgfleet.engine.argv.parser import CommandLine, parser_of, shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from sgfleet.engine.release import Release


def parse(release: Release, argv: Sequence[str], read: Callable[[str], str] | None = None) -> Outcome:
    """What `python -m sglang.launch_server ARGV` of this release makes of its command line, up to the end of parsing.

    What the server checks afterwards, with the values put together, is not part of it. `read` returns the text of the
    file that `--config` names, or raises OSError or ValueError; without it such a command line is not known.
    """
    try:
        extra, own = config.merge(release, argv, read)
    except config.UnknowableError as error:
        return NotKnown("config-not-known", str(error), config.OPTION)
    except RefusalError as refusal:
        return refusal.rejected
    parser = parser_of(release)
    words = [*extra, *own]
    try:
        namespace, rest = parser.read(words)
        outcome = _leftover(parser, rest) if rest else _parsed(parser, namespace, words, len(extra))
    except RefusalError as refusal:
        outcome = refusal.rejected
    return _doubt(parser, words, outcome)


def _doubt(parser: CommandLine, words: Sequence[str], outcome: Outcome) -> Outcome:
    """A verdict stands only if this project knows every flag that it rests on."""
    if not parser.opaque:
        return outcome
    named = {option for option, _ in _named(parser, words)}
    doubtful = [action for action in parser.opaque if named & set(action.flag.options)]
    if isinstance(outcome, Rejected) and all(action.effect for action in doubtful):
        return outcome  # an unknown type can only refuse more
    if not doubtful:
        return outcome
    name = doubtful[0].flag.options[0]
    what = "the meaning of its value" if doubtful[0].effect else "what it does"
    return NotKnown(
        "opaque-flag",
        f"SGLang {parser.release.version} has {name}, but this tool does not know {what} and cannot tell",
        name,
        help=f"ask the release itself: python -m sglang.launch_server with {name} on a host that has it",
    )


def _named(parser: CommandLine, words: Sequence[str]) -> list[tuple[str, str]]:
    """(option, as written) of every word that names an option, in order."""
    found = []
    for word in words:
        if word == "--":
            break
        if not word.startswith("-"):
            continue
        token = word if word in parser.options else word.partition("=")[0]
        option = token if token in parser.options else parser.cut.get(token)
        if option is not None:
            found.append((option, token))
    return found


def _leftover(parser: CommandLine, rest: list[str]) -> Rejected:
    """Words that belong to no option: unknown options with what follows them, or words that an option did not take."""
    before = rest[: rest.index("--")] if "--" in rest else rest
    options = [word for word in before if word.startswith("-") and len(word) > 1]
    version = parser.release.version
    if not options:
        word = next((word for word in rest if word != "--"), "--")
        return Rejected("unexpected-word", f"{shown(word)} belongs to no option of SGLang {version}", word)
    tokens = list(dict.fromkeys(shown(word.partition("=")[0]) for word in options))
    more = f", nor {', '.join(tokens[1:6])}" if len(tokens) > 1 else ""
    return Rejected("unknown-option", f"SGLang {version} has no option {tokens[0]}{more}", options[0])


def _parsed(parser: CommandLine, namespace: argparse.Namespace, words: Sequence[str], extra: int) -> Parsed:
    held = vars(namespace)
    named = _named(parser, words)
    from_config = len(_named(parser, words[:extra]))
    given = tuple(
        Given(action.flag, option, token, held.get(action.flag.dest), index < from_config)
        for index, ((action, _), (option, token)) in enumerate(zip(parser.used, named, strict=True))
    )
    values: dict[str, Any] = {use.flag.name: use.value for use in given}
    return Parsed(values, held, given, tuple(_notes(parser.release, given, held)))


def _notes(release: Release, given: Sequence[Given], held: dict[str, Any]) -> list[Note]:
    notes: list[Note] = []
    seen: set[str] = set()
    for use in given:
        notes += _deprecation(use)
        if use.abbreviated:
            message = f"{use.token} is short for {use.option} in this release; a later one may find it ambiguous"
            notes.append(Note("abbreviated", message, f"write {use.option}"))
        if use.flag.name in seen:
            notes.append(Note("repeated", f"{use.option} is given more than once: the last one holds"))
        seen.add(use.flag.name)
        if config.OPTION in use.flag.options and use.value:
            message = "the file is not read: that takes --config as a word of its own, with the file as the next word"
            notes.append(Note("config-not-read", message, f"write --config {use.value}"))
    level = held.get("log_level")
    if (
        launcher.checks_log_level(release.version)
        and isinstance(level, str)
        and level.upper() not in launcher.LOG_LEVELS
    ):
        message = f"the launcher then fails: Python has no log level {shown(level)}"
        notes.append(Note("fails-later", message, "write one of debug, info, warning, error, critical"))
    return list(dict.fromkeys(notes))


def _deprecation(use: Given) -> list[Note]:
    if use.flag.deprecation is None:
        return []
    instead = f"write {use.flag.deprecation.instead}" if use.flag.deprecation.instead else None
    if use.flag.deprecation.effect == "ignored":
        return [Note("ignored", f"{use.option} is deprecated and has no effect in this release", instead)]
    return [Note("deprecated", f"{use.option} is deprecated", instead)]
