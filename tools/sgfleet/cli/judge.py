"""The verdict on a command line, as text and as JSON: what the command `argv` answers."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sgfleet.cli.common import FINDINGS, OK, UsageError, root_or_none
from sgfleet.cli.hidden import shown_outcome, shown_words
from sgfleet.cli.releases import load_release
from sgfleet.engine.argv.advice import advised
from sgfleet.engine.argv.config import UnknowableError
from sgfleet.engine.argv.outcome import Parsed, Rejected
from sgfleet.engine.argv.parse import parse
from sgfleet.engine.flag import SUPPRESSED
from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from sgfleet.engine.argv.outcome import Outcome
    from sgfleet.engine.release import Release

FORMAT: Final = 1
"""Version of the JSON answer."""

_LARGEST_BYTES: Final = 4 << 20
"""What is read of a configuration file: more than any that this tool would look into."""


def judge(arguments: argparse.Namespace) -> int:
    """Judge one command line, or all of standard input."""
    root = root_or_none(arguments)
    release = load_release(arguments.release, root)
    if arguments.batch:
        if arguments.arguments is not None:
            raise UsageError("--batch takes its command lines from standard input, not from the arguments")
        return _batch(release, arguments.all, root)
    if arguments.arguments is None:
        raise UsageError("no command line to judge", f"write it behind --: sgfleet argv {release.version} -- --tp 8")
    words = arguments.arguments
    outcome = shown_outcome(release, words, _judge(release, words, root), inside=True)
    if arguments.format == "json":
        head = {"format": FORMAT, "release": release.version, "arguments": shown_words(release, words)}
        print(_json({**head, **_answer(release, outcome, arguments.all)}, indent=2))
    else:
        print(_text(release, outcome, arguments.all))
    return OK if isinstance(outcome, Parsed) else FINDINGS


def _judge(release: Release, words: Sequence[str], root: Path | None) -> Outcome:
    outcome = parse(release, words, _read)
    if isinstance(outcome, Rejected) and (help_ := _in_front(words)):
        return outcome._replace(help=help_)
    return advised(release, words, outcome, root)


def _in_front(words: Sequence[str]) -> str | None:
    """What to say of a whole command. Its words are not repeated: a variable in front may be a secret."""
    from sgfleet.adopt.launch import MODULE, in_front

    if (number := in_front(words)) > 0:
        what = "the first word" if number == 1 else f"the first {number} words"
        return f"leave {what} out: what is judged begins behind {'it' if number == 1 else 'them'}"
    if len(words) == 1 and (MODULE in words[0] or " --" in words[0]):
        return "write the arguments as words of their own, without quotes around all of them"
    return None


def _read(path: str) -> str:
    """The text of the file that --config names, as the release would open it from here.

    Raises:
        OSError: it cannot be opened.
        ValueError: it is no text.
        UnknowableError: this tool does not open it: a device or pipe may never end.
    """
    file = Path(path)
    if not file.is_file() and file.exists() and not file.is_dir():
        raise UnknowableError(f"{path!r} is no regular file, and this tool does not read it")
    with file.open(encoding="utf-8") as stream:
        return stream.read(_LARGEST_BYTES)


def _batch(release: Release, with_defaults: bool, root: Path | None) -> int:
    for line in _lines():
        words = _words(line)
        if isinstance(words, str):
            answer: dict[str, Any] = {"ok": False, "error": words, "values": None, "kind": "bad-line"}
        else:
            outcome = shown_outcome(release, words, _judge(release, words, root), inside=False)
            answer = _answer(release, outcome, with_defaults)
        print(_json(answer), flush=True)
    return OK


def _lines() -> Iterator[bytes]:
    """The lines of standard input.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        yield from sys.stdin.buffer
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {(error.strerror or 'it is closed').lower()}") from None


def _words(line: bytes) -> list[str] | str:
    """The command line of one line of input, or what is wrong with the line."""
    try:
        words = json.loads(line)
    except UnicodeDecodeError:
        return "this line is no UTF-8"
    except (ValueError, RecursionError) as error:
        place = f" (column {error.colno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
        return f"this line is no JSON{place}: a JSON array of strings is wanted"
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return "this line is no JSON array of strings"
    return words


def _answer(release: Release, outcome: Outcome, with_defaults: bool) -> dict[str, Any]:
    if isinstance(outcome, Parsed):
        answer: dict[str, Any] = {"ok": True, "error": None, "values": dict(outcome.values)}
        if with_defaults:
            answer["defaults"] = _defaults(release, outcome)
        if outcome.notes:
            answer["notes"] = [
                {"kind": note.kind, "message": note.message, "help": note.help} for note in outcome.notes
            ]
        return answer
    return {"ok": outcome.ok, "error": outcome.message, "values": None, "kind": outcome.kind, "help": outcome.help}


def _defaults(release: Release, outcome: Parsed) -> dict[str, Any]:
    """What the flags hold that the command line does not give."""
    return {
        flag.name: outcome.namespace.get(flag.dest)
        for flag in release.flags
        if flag.name not in outcome.values and flag.default != SUPPRESSED
    }


def _text(release: Release, outcome: Outcome, with_defaults: bool) -> str:
    name = f"SGLang {release.version}"
    if not isinstance(outcome, Parsed):
        verdict = (
            "Not known whether {} takes this command line." if outcome.ok is None else "{} refuses this command line."
        )
        lines = [verdict.format(name), f"error: {outcome.message}"]
        return "\n".join([*lines, f"help: {outcome.help}"] if outcome.help else lines)
    written = {use.flag.name: use.option.removeprefix("--") for use in outcome.given}
    values = {written[flag]: value for flag, value in outcome.values.items()}
    lines = [f"{name} takes this command line.", *_table(values)]
    if with_defaults:
        lines += ["", "Not given:", *_table(_defaults(release, outcome))]
    for note in outcome.notes:
        lines += ["", f"note: {note.message}", *([f"help: {note.help}"] if note.help else [])]
    return "\n".join(lines)


def _table(values: Mapping[str, Any]) -> list[str]:
    width = max(map(len, values), default=0)
    return [f"  {name:<{width}}  {_shown(value)}" for name, value in values.items()]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value.isprintable() and value.strip() else _json(value)


def _json(value: Any, indent: int | None = None) -> str:
    """JSON in ASCII; what JSON cannot say is said in text."""
    try:
        return json_text(value, indent=indent, allow_nan=False)
    except (ValueError, RecursionError):
        return json_text(_sayable(value), indent=indent)


def _sayable(value: Any, depth: int = 0) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and value.bit_length() > _PRINTABLE_BITS:
        return hex(value)
    if isinstance(value, (dict, list)) and depth > _DEEPEST:
        return "..."
    if isinstance(value, dict):
        return {key: _sayable(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_sayable(item, depth + 1) for item in value]
    return value


_PRINTABLE_BITS: Final = 14_000
"""Python writes integers of up to 4,300 decimal digits, which is 14,284 bits."""
_DEEPEST: Final = 200
