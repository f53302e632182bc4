"""The entry point: finds the command's module by its name, and imports nothing else."""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.cli import streams
from sgfleet.cli.common import FINDINGS, USAGE, UsageError, near

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


def commands() -> list[str]:
    """Every command: a module of `sgfleet.cli.commands` with the same name."""
    return sorted(path.stem for path in Path(__file__).with_name("commands").glob("[a-z]*.py"))


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"sgfleet.cli.commands.{command.replace('-', '_')}")


def _overview() -> argparse.ArgumentParser:
    summaries = "\n".join(f"  {name:<10}{_module(name).SUMMARY}" for name in commands())
    parser = argparse.ArgumentParser(
        prog="sgfleet",
        description="GitOps for GPU hosts that serve LLMs with SGLang under systemd.",
        epilog=f"commands:\n{summaries}\n\nsgfleet COMMAND --help tells more.\n"
        "Exit codes: 0 clean, 1 findings, 2 usage, 3 nothing to check, 4 internal error.\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="sgfleet [--help] [--version] COMMAND ...",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    return parser


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of one command, as its module declares it."""
    module = _module(command)
    parser = argparse.ArgumentParser(
        prog=f"sgfleet {command}",
        description=module.__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    return parser


def _tail(command: str, words: list[str]) -> tuple[list[str], argparse.Namespace | None]:
    """What a command is asked about stands behind the first `--` and is not its own: argparse would drop words of it.

    A command that takes such words says with TAIL which argument they become; None where there is no `--`.
    """
    name = getattr(_module(command), "TAIL", None)
    if name is None:
        return words, None
    at = words.index("--") if "--" in words else None
    return words[:at], argparse.Namespace(**{name: None if at is None else words[at + 1 :]})


def main(argv: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return its exit code.

    Raises:
        SystemExit: from argparse, with 0 after --help and 2 after a usage error.
    """
    command = argv[0] if argv else ""
    if command in commands():
        own, tail = _tail(command, list(argv[1:]))
        arguments = parser_of(command).parse_args(own, tail)
        code: int = _module(command).run(arguments)
        return code
    if command and not command.startswith("-"):
        raise UsageError(f"there is no command {command!r}", near(command, commands()) or "sgfleet --help lists them")
    parser = _overview()
    if parser.parse_args(argv).version:
        from importlib.metadata import version

        print(f"sgfleet {version('sgfleet')}")
        return 0
    parser.print_help(sys.stderr)
    return USAGE


def run() -> None:
    """The console script: one error boundary around everything."""
    # A short process that builds trees and lets them go: looking for cycles finds none, and takes a tenth of the time.
    gc.set_threshold(100_000)
    streams.prepare()
    try:
        code = _guarded(sys.argv[1:])
        sys.stdout.flush()
    except streams.LostOutput as lost:
        # The reader may have left (`| head`): nobody is there to be told. 141 is what a shell shows for SIGPIPE.
        code = 141 if lost.reader_left else FINDINGS
        if not lost.reader_left:
            print(f"error: the answer cannot be written to standard output: {lost.reason}", file=sys.stderr)
    sys.exit(code)


def _guarded(argv: Sequence[str]) -> int:
    """The exit code of a command line, whatever comes of it.

    Raises:
        LostOutput: the answer could not be written.
    """
    try:
        return main(argv)
    except SystemExit as ended:  # argparse, after --help or with a message
        return ended.code if isinstance(ended.code, int) else USAGE
    except UsageError as error:
        print(f"error: {error.message}", file=sys.stderr)
        if error.help:
            print(f"help: {error.help}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return 130
    except streams.LostOutput:
        raise
    except Exception as error:  # the boundary: whatever was not foreseen becomes a report, never a bare traceback
        from sgfleet.cli.crash import report

        return report(error, argv)
