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
    from collections.abc import Sequence


def _body(error: BaseException, argv: Sequence[str]) -> str:
    # Neither values of files nor the environment: the report may be posted in public. The first word of the call is
    # the command; what follows may hold a command line with a key in it.
    frames = traceback.extract_tb(error.__traceback__)
    trace = "\n".join(f"  {frame.name}, {_inside(frame.filename)}:{frame.lineno}" for frame in frames)
    return (
        f"sgfleet {version('sgfleet')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
        f"command: {argv[0] if argv else '-'} ({max(len(argv) - 1, 0)} more arguments)\n"
        f"error: {type(error).__name__}\n"
        f"{trace}\n"
    )


def _inside(path: str) -> str:
    """A module's path without what lies above the package: no home folders in a report."""
    _, found, rest = path.rpartition(f"{os.sep}sgfleet{os.sep}")
    return f"sgfleet/{rest}" if found else Path(path).name


def report(error: Exception, argv: Sequence[str]) -> int:
    """Write the report to a file of its own, say where it is, and return exit code 4."""
    body = _body(error, argv)
    print(f"error: sgfleet itself failed: {type(error).__name__}: {error}", file=sys.stderr)
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
