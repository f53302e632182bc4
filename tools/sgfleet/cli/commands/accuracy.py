"""Hold the memory predictions against start-up logs: one JSON object a line, with what ran and what it logged.

Each figure stands beside its prediction, with the error that was asked for and the one that the estimator claims. A
figure that is farther off is followed by what would explain it. `make accuracy LOGS=FILE.jsonl` keeps the table.

Exit codes: 0 all figures are near enough, 1 one is not, 2 usage, 3 the file has no entry.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, NOTHING, OK, UsageError, add_format

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sgfleet.output.accuracy import Scored

SUMMARY: Final = "hold memory predictions against start-up logs"
MOST_BYTES: Final = 64 * 2**20
PAGE_HEAD: Final = """# How near the memory predictions are

`make accuracy` writes this table: the figures of start-up logs beside what `sgfleet` predicts for the same start.
"Exact" figures follow from formulas alone and agree as they are printed. For "measured" ones the log says how much was
free and what the weights took: 2 % are asked for. For "hardware" ones model and card are all that is known: 5 %.
"Claimed" is the error that the estimator itself states.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, where the table is kept, format."""
    parser.add_argument("logs", type=Path, metavar="LOGS.jsonl", help="start-up logs, one JSON object a line")
    parser.add_argument("--keep", type=Path, metavar="FILE.md", help="write the table as a page as well")
    add_format(parser, ("text", "markdown", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    scored = list(_scored(_text(arguments.logs), arguments.logs))
    if not scored:
        print(f"error: {arguments.logs} has no entry", file=sys.stderr)
        return NOTHING
    from sgfleet.output.accuracy import as_json, as_markdown, as_text

    form = {"text": as_text, "markdown": as_markdown, "json": as_json}[arguments.format]
    print(form(scored), end="")
    if arguments.keep is not None:
        try:
            arguments.keep.write_text(f"{PAGE_HEAD}\n{as_markdown(scored)}", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--keep {arguments.keep}: {error.strerror}") from error
    return FINDINGS if any(each.misses for each in scored) else OK


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path} is larger than {MOST_BYTES // 2**20} MiB")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error


def _scored(text: str, path: Path) -> Iterator[Scored]:
    from sgfleet.memory.accuracy.entry import LogsError, read_entries
    from sgfleet.memory.accuracy.score import score
    from sgfleet.memory.accuracy.why import why
    from sgfleet.output.accuracy import Scored, is_miss

    try:
        for entry in read_entries(text):
            result = score(entry)
            yield Scored(result, tuple(why(entry, row) if is_miss(row) else () for row in result.rows))
    except LogsError as error:
        raise UsageError(f"{path}: {error}") from error
