"""What a change will do before it is merged: services that restart, why, how long they load, memory before and after.

Without a range, the merge base with the upstream of main is compared with the working tree. BASE alone is compared with
the working tree, BASE..HEAD with HEAD, BASE...HEAD from where they parted. Both sides are read from Git's objects:
nothing is checked out, fetched or written.
Exit codes: 0 nothing changes, 2 something does, 1 it cannot be applied or planned (nothing on standard output: the
call makes no sense, or something that it needs is refused), 3 no host, 4 internal error.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import NOTHING, OK, FindingsError, UsageError, add_format, add_root, root_of, root_or_none

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from sgfleet.plan.records import Plan

SUMMARY: Final = "what a change restarts, and what it costs"
INVALID: Final = 1
CHANGES: Final = 2
REFUSED: Final = INVALID
"""Exit code of a call that makes no sense: 2 says here that something changes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The range, format, root."""
    parser.add_argument("range", nargs="?", metavar="BASE[..HEAD]", help="what to compare (default: see above)")
    add_format(parser, ("text", "json", "markdown"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan."""
    from sgfleet.source.git_faults import GitError
    from sgfleet.source.git_place import explained, unreadable
    from sgfleet.source.git_range import RangeError

    root = None
    try:
        root = _root(arguments)
        plan = _plan(root, arguments.range)
    except RangeError as error:  # Git calls missing what it may not read
        hidden = None if root is None else unreadable(root)
        raise UsageError(*(hidden or (str(error), error.help))) from error
    except GitError as error:
        if root is None:
            raise
        raise UsageError(*explained(root, error)) from error
    if not plan.hosts and not plan.others:
        print("nothing to plan: neither side has a host", file=sys.stderr)
        return NOTHING
    _print(plan, arguments.format)
    if plan.crashes:
        from sgfleet.cli.crash import report_rules

        sys.stdout.flush()
        return report_rules(list(plan.crashes), sys.argv[1:])
    if plan.errors:
        return INVALID
    return CHANGES if plan.changed else OK


def _root(arguments: argparse.Namespace) -> Path:
    """The repository, or a bare one, which has no hosts/ to be found by."""
    from pathlib import Path

    from sgfleet.source.git import git
    from sgfleet.source.git_range import is_bare

    if (found := root_or_none(arguments)) is not None:
        return found
    here = Path.cwd()
    return here if is_bare(partial(git, here)) else root_of(arguments)


def _plan(root: Path, text: str | None) -> Plan:
    import datetime

    from sgfleet.output.progress import Progress
    from sgfleet.plan.make import Planner
    from sgfleet.plan.records import Revision
    from sgfleet.plan.revisions import workspaces
    from sgfleet.plan.scope import WATCHED, scope_of
    from sgfleet.source.git import git
    from sgfleet.source.git_range import changed_paths, folder_of, refuse_sparse, resolve, submodules

    ask = partial(git, root)
    folder = folder_of(ask)
    span = resolve(ask, text)
    if span.is_empty:
        print(f"note: both ends are the commit {span.before[:12]}: there is nothing to compare", file=sys.stderr)
    scope = scope_of(changed_paths(ask, span.before, span.after, WATCHED))
    if scope.everything and span.after is None:
        refuse_sparse(ask)
    sides = workspaces(root, span.before, span.after, folder=folder, root=root, library=scope.library)
    linked = frozenset[str]() if span.after is not None else submodules(ask, WATCHED)
    for side in sides:
        if not side.repository.listed:  # a folder that cannot be listed is no empty one: nothing would be left of it
            raise FindingsError(side.repository.findings)
    planner = Planner(*sides, datetime.datetime.now(datetime.UTC).date(), linked)
    progress = Progress(sys.stderr, "hosts", len(planner.names(scope)))
    revisions = Revision(span.before_name, span.before), Revision(span.after_name, span.after)
    plan = planner.plan(scope, revisions, progress.step)
    progress.clear()
    return plan


def _print(plan: Plan, form: str) -> None:
    if form == "json":
        from sgfleet.output.plan.json_form import as_json

        print(as_json(plan), end="")
    elif form == "markdown":
        from sgfleet.output.plan.markdown import as_markdown

        print(as_markdown(plan), end="")
    else:
        from sgfleet.output.colour import paint_for
        from sgfleet.output.plan.text import as_text

        print(as_text(plan, paint_for(sys.stdout)), end="")
