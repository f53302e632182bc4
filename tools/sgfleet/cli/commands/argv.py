"""Whether a release takes a command line: the parsed values, or the reason and what to write instead.

ARGUMENTS are the words after `python -m sglang.launch_server`. The verdict is that of the release's own parser, with
abbreviations, deprecated flags and `--config FILE` (read from here) included; what the server checks afterwards is not
part of it. A release's `--help` is refused: it prints and ends, and no server starts. A flag whose type this tool does
not know makes the verdict unknown, never right.

--batch reads JSON arrays of arguments from standard input, one a line, and answers each with one line, in order:
{"ok": true, false or null, "error": null or the reason, "values": the given flags by full name, or null}, and where
there is something to say "kind", "help" and "notes". A line that is no such array is answered with ok false.

Values of flags that hold a secret (--api-key) are answered as "(hidden)", with --batch too, where all other values are
exactly the parser's. Without --batch, whatever looks like a secret inside other values is hidden as well.

In JSON, a number that JSON does not have is text: "NaN", "Infinity", "-Infinity"; an integer of more than 4,200 digits
is text in hexadecimal; a value that is nested too deeply to print is the text "..."; a byte that is no UTF-8 is the
text \\xff, of four characters.

Exit code: 0 taken, 1 refused or not known, 2 usage (also: no such release); with --batch 0 once all lines are answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import add_format, add_root

if TYPE_CHECKING:
    import argparse

SUMMARY: Final = "whether a release takes a command line"

TAIL: Final = "arguments"
"""The words behind `--` are the command line that is judged."""

TAIL_FORM: Final = "RELEASE"
"""What stands before them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.usage = "%(prog)s [--all] [--format FORMAT] RELEASE -- ARGUMENTS...\n       %(prog)s [--all] RELEASE --batch"
    parser.add_argument("release", metavar="RELEASE", help="the SGLang release, such as 0.5.9")
    parser.add_argument("--batch", action="store_true", help="judge the command lines on standard input")
    parser.add_argument(
        "--all", action="store_true", help="also show the flags that are not given, with their defaults"
    )
    add_root(parser)
    add_format(parser, ("text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Judge one command line, or all of standard input."""
    from sgfleet.cli.judge import judge

    return judge(arguments)
