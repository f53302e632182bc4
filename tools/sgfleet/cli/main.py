"""The entry point: finds the command's module by its name, and imports nothing else."""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.cli import interrupt, streams
from sgfleet.cli.common import FINDINGS, OK, USAGE, FindingsError, UsageError, near
from sgfleet.cli.help_form import help_form

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

INTERRUPTED: Final = 130
"""What a shell shows for a process that a Ctrl-C ended."""


def commands() -> list[str]:
    """Every command: a module of `sgfleet.cli.commands` with the same name."""
    return sorted(path.stem for path in Path(__file__).with_name("commands").glob("[a-z]*.py"))


def module_of(command: str) -> ModuleType:
    """The module of a command; nothing else is imported."""
    return importlib.import_module(f"sgfleet.cli.commands.{command.replace('-', '_')}")


def overview() -> argparse.ArgumentParser:
    """The parser of a call without a command."""
    names = commands()
    widest = max(map(len, names))
    summaries = "\n".join(f"  {name:<{widest}}  {module_of(name).SUMMARY}" for name in names)
    parser = argparse.ArgumentParser(
        prog="sgfleet",
        description="GitOps for GPU hosts that serve LLMs with SGLang under systemd.",
        epilog=f"commands:\n{summaries}\n\nsgfleet COMMAND --help tells more.\n"
        "Exit codes: 0 clean, 1 findings, 2 usage (plan: 1, because 2 says there that something changes),\n"
        "3 nothing to check, 4 internal error. Some commands have more: their --help lists them.\n",
        formatter_class=help_form(),
        usage="sgfleet [--help] [--version] COMMAND ...",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    return parser


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of one command, as its module declares it."""
    module = module_of(command)
    parser = argparse.ArgumentParser(
        prog=f"sgfleet {command}",
        description=module.__doc__,
        allow_abbrev=False,
        formatter_class=help_form(),
    )
    module.add_arguments(parser)
    return parser


def _tail(command: str, words: list[str]) -> tuple[list[str], argparse.Namespace | None]:
    """What a command is asked about stands behind the first `--` and is not its own: argparse would drop words of it.

    A command that takes such words says with TAIL which argument they become; None where there is no `--`.
    """
    name = getattr(module_of(command), "TAIL", None)
    if name is None:
        return words, None
    at = words.index("--") if "--" in words else None
    return words[:at], argparse.Namespace(**{name: None if at is None else words[at + 1 :]})


def _unknown(command: str, own: list[str], unknown: list[str], *, tailed: bool) -> tuple[str, str]:
    """What to say of words that the command does not know."""
    first = unknown[0]
    what = "no option" if first.startswith("-") else "no argument"
    if not tailed and (form := getattr(module_of(command), "TAIL_FORM", None)):
        at = own.index(first) if first in own else len(own)
        line = " ".join(["sgfleet", command, *(own[:at] or [form]), "--", *own[at:]])
        return f"{first} is {what} of sgfleet {command} itself", f"what is asked about stands behind --: {line}"
    declared = parser_of(command)._actions  # noqa: SLF001 - argparse tells what was declared nowhere else
    options = [option for action in declared for option in action.option_strings]
    return f"{first} is {what} of sgfleet {command}", near(first, options) or f"sgfleet {command} --help lists them"


def main(argv: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return its exit code.

    Raises:
        SystemExit: from argparse, with 0 after --help and 2 after a usage error.
    """
    command = argv[0] if argv else ""
    if command in commands():
        own, tail = _tail(command, list(argv[1:]))
        arguments, unknown = parser_of(command).parse_known_args(own, tail)
        if unknown:
            raise UsageError(*_unknown(command, own, unknown, tailed="--" in argv))
        module = module_of(command)
        interrupt.raises()
        code: int = module.run(arguments)
        return code
    if command and not command.startswith("-"):
        raise UsageError(f"there is no command {command!r}", near(command, commands()) or "sgfleet --help lists them")
    parser = overview()
    if parser.parse_args(argv).version:
        from importlib.metadata import version

        print(f"sgfleet {version('sgfleet')}")
        return 0
    parser.print_help(sys.stderr)
    return USAGE


def run() -> None:
    """The console script behind its first step (`sgfleet.__main__`): one error boundary around everything."""
    # A short process that builds trees and lets them go: looking for cycles finds none, and takes a tenth of the time.
    gc.set_threshold(100_000)
    streams.prepare()
    try:
        try:
            code = _guarded(sys.argv[1:])
        finally:
            interrupt.ends()
        sys.stdout.flush()
    except KeyboardInterrupt:  # on its way out
        code = INTERRUPTED
    except streams.LostOutput as lost:
        # The reader may have left (`| head`): nobody is there to be told. 141 is what a shell shows for SIGPIPE.
        code = 141 if lost.reader_left else FINDINGS
        if not lost.reader_left:
            print(f"error: the answer cannot be written to standard output: {lost.reason}", file=sys.stderr)
    gc.freeze()  # what is left goes with the process: on its way out the interpreter would search all of it for cycles
    sys.exit(code)


def _refusal(argv: Sequence[str]) -> int:
    """The exit code of a call that makes no sense: a command to which 2 says something else names its own, REFUSED."""
    known = bool(argv) and argv[0] in commands()
    code: int = getattr(module_of(argv[0]), "REFUSED", USAGE) if known else USAGE
    return code


def _refuse(error: UsageError, argv: Sequence[str]) -> int:
    """Say why a call cannot be done."""
    print(f"error: {error.message}", file=sys.stderr)
    if error.help:
        print(f"help: {error.help}", file=sys.stderr)
    return _refusal(argv)


def _guarded(argv: Sequence[str]) -> int:
    """The exit code of a command line, whatever comes of it.

    Raises:
        LostOutput: the answer could not be written.
    """
    try:
        return main(argv)
    except SystemExit as ended:  # argparse, after --help or with a message
        return _refusal(argv) if ended.code else OK
    except UsageError as error:
        return _refuse(error, argv)
    except FindingsError as error:
        from sgfleet.cli.report import write_findings

        write_findings(error.findings)
        return FINDINGS
    except KeyboardInterrupt:
        return INTERRUPTED
    except streams.LostOutput:
        raise
    except Exception as error:  # the boundary: whatever was not foreseen becomes a report, never a bare traceback
        if interrupt.came():
            return INTERRUPTED
        from sgfleet.cli.os_faults import refusal

        if (refused := refusal(error)) is not None:
            return _refuse(refused, argv)
        from sgfleet.cli.crash import report

        return report(error, argv)
