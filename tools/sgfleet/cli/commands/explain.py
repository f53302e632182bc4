"""Explain a finding: what its rule does, why, and an example of each side. Without a code: every rule in a line.

Exit codes: 0 shown, 2 usage (also: no such rule).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import OK, UsageError, add_format

if TYPE_CHECKING:
    import argparse

    from sgfleet.rules.registry import Entry

SUMMARY: Final = "what a finding means, why, and what to write instead"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Codes or names of rules."""
    parser.add_argument("rules", nargs="*", metavar="CODE", help="FLG001, or the rule's name (default: list all)")
    parser.add_argument("--all", action="store_true", help="every page, not only the list")
    add_format(parser, ("text", "markdown", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Print the pages that were asked for."""
    from sgfleet.output import page
    from sgfleet.output.colour import paint_for
    from sgfleet.rules.registry import entries

    chosen = [_find(word) for word in arguments.rules] or list(entries().values())
    whole = arguments.all or bool(arguments.rules)
    if arguments.format == "json":
        print(page.as_json(chosen), end="")
    elif arguments.format == "markdown":
        print("\n".join(map(page.as_markdown, chosen)) if arguments.rules else page.reference(chosen), end="")
    else:
        paint = paint_for(sys.stdout)
        print("\n".join(page.as_text(each, paint) for each in chosen) if whole else page.as_list(chosen, paint), end="")
    return OK


def _find(word: str) -> Entry:
    """The rule with this code or name.

    Raises:
        UsageError: there is none.
    """
    from sgfleet.cli.common import near
    from sgfleet.rules.registry import entries

    known = entries()
    if entry := known.get(word.upper()):
        return entry
    names = {entry.rule.name: entry for entry in known.values()}
    wanted = word.lower().replace("_", "-")
    if wanted in names:
        return names[wanted]
    hint = near(word.upper(), known) or near(wanted, names) or "sgfleet explain lists all rules"
    raise UsageError(f"there is no rule {word!r}", hint)
