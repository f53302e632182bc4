"""For a Git hook: whether a commit carries every unit that it should, and what a person adds where it does not."""

from __future__ import annotations

import os
import sys
from shlex import quote
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, OK, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_EVERY_HOST: Final = ("fleet.yaml", "schema")
"""What units of every host are made from, beside the files of the host."""


def staged(root: Path, paths: Iterable[str]) -> int:
    """Whether the index has every unit as it is in the working tree: only then does the commit carry it.

    Raises:
        UsageError: Git does not answer for this repository.
    """
    from sgfleet.source.git_faults import GitError, OwnershipError
    from sgfleet.source.git_place import explained, unreadable
    from sgfleet.source.git_range import RangeError

    wanted = sorted(set(paths))
    if not wanted:
        return OK
    try:
        missing = _not_in_commit(root, wanted)
        beside = _not_in_index(root, {path.split("/")[1] for path in missing}) if missing else []
    except RangeError as error:
        raise UsageError(str(error), error.help) from error
    except GitError as error:
        message, help_ = explained(root, error)
        if isinstance(error, OwnershipError) or unreadable(root):
            raise UsageError(message, help_) from error
        print(f"error: {error}\nhelp: {help_}", file=sys.stderr)
        return FINDINGS
    if not missing:
        return OK
    print("error: rendered units are not in the commit", file=sys.stderr)
    print(
        f"help: git add {' '.join(quote(os.path.relpath(root / path)) for path in [*beside, *missing])}",
        file=sys.stderr,
    )
    return FINDINGS


def _not_in_commit(root: Path, units: list[str]) -> list[str]:
    from functools import partial

    from sgfleet.source.git import git
    from sgfleet.source.git_range import refuse_outside

    refuse_outside(partial(git, root))  # outside of a repository `diff` compares folders, and says why in other words
    changed = git(root, "diff", "--relative", "--name-only", "-z", "--", *units)
    return _names(changed + git(root, "ls-files", "--others", "-z", "--", *units))


def _not_in_index(root: Path, hosts: set[str]) -> list[str]:
    """What the units were made from and the next `git commit` would not find in the index.

    `git commit -a`, or with names, has an index of its own, which goes when a hook stops it: the lasting one still has
    the files as they were, and a unit that is added alone would not fit to them.
    """
    from sgfleet.source.git import git

    sources = (*_EVERY_HOST, *sorted(f"hosts/{host}" for host in hosts))
    changed = git(root, "diff", "--relative", "--name-only", "-z", "--", *sources, lasting_index=True)
    listed = ("ls-files", "--others", "--exclude-standard", "-z", "--", *sources)
    return _names(changed + git(root, *listed, lasting_index=True))


def _names(listed: bytes) -> list[str]:
    return sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})
