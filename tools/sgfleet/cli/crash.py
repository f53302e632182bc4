"""A bug of ours: what the operator is told, and the report that is ready to be sent."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.cli.common import INTERNAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sgfleet.rules.runner import Crash


def _head(argv: Sequence[str]) -> str:
    # Neither values of files nor the environment: the report may be posted in public. The first word of the call is
    # the command; what follows may hold a command line with a key in it.
    return (
        f"sgfleet {version('sgfleet')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
        f"command: {argv[0] if argv else '-'} ({max(len(argv) - 1, 0)} more arguments)\n"
    )


def _body(error: str, frames: Iterable[str]) -> str:
    return "".join([f"error: {error}\n", *(f"  {frame}\n" for frame in frames)])


def _inside(path: str) -> str:
    """A module's path without what lies above the package: no home folders in a report."""
    _, found, rest = path.rpartition(f"{os.sep}sgfleet{os.sep}")
    return f"sgfleet/{rest}" if found else Path(path).name


def report(error: Exception, argv: Sequence[str]) -> int:
    """Write the report to a file of its own, say where it is, and return exit code 4."""
    trace = traceback.extract_tb(error.__traceback__)
    frames = [f"{frame.name}, {_inside(frame.filename)}:{frame.lineno}" for frame in trace]
    print(f"error: sgfleet itself failed: {type(error).__name__}: {error}", file=sys.stderr)
    return _deliver(_head(argv) + _body(type(error).__name__, frames))


def report_rules(crashes: Sequence[Crash], argv: Sequence[str]) -> int:
    """The same for rules that broke: each way of breaking once, however many services met it."""
    ways: dict[tuple[str | None, str, tuple[str, ...]], list[Crash]] = {}
    for crash in crashes:
        ways.setdefault((crash.code, crash.error, crash.frames), []).append(crash)
    for (code, error, _), met in ways.items():
        more = f" and {len(met) - 1:,} more" if len(met) > 1 else ""
        who = f"rule {code}" if code else "the check"
        print(f"error: {who} failed on {met[0].subject}{more}: {error}", file=sys.stderr)
    return _deliver(
        _head(argv)
        + "".join(_body(f"{error} in {f'rule {code}' if code else 'the check'}", way) for code, error, way in ways)
    )


def _deliver(body: str) -> int:
    try:
        with tempfile.NamedTemporaryFile("w", prefix="sgfleet-report-", suffix=".txt", delete=False) as file:
            file.write(body)
        print(
            f"help: a report without any of your data is ready to be sent: {file.name}",
            file=sys.stderr,
        )
    except OSError:
        print(body, file=sys.stderr)
    return INTERNAL
