"""`BASE..HEAD` as a person writes it -> two revisions, and the paths that differ between them."""

from __future__ import annotations

import os
import re
from shlex import quote
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.source.git_faults import GitError, NotInstalledError, OwnershipError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Ask = Callable[..., bytes]
    """`git` in one repository: arguments -> what it prints; raises GitError."""

_MAINS: Final = ("main", "master")
_UNSET: Final = "in a script that is a variable which is not set"
_OWNED: Final = re.compile(r"repository at '(.*)'$")
_WORK_TREE: Final = "GIT_WORK_TREE"
_SUBMODULE: Final = b"160000 "
"""The mode of a commit in the place of a folder."""


class RangeError(Exception):
    """There is nothing to compare with; `help` is what a person does about it."""

    def __init__(self, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.help = help_


class Range(NamedTuple):
    """Full ids of two commits, and how they were named. `after` is None for the working tree."""

    before: str
    before_name: str
    after: str | None
    after_name: str

    @property
    def is_empty(self) -> bool:
        """Whether both ends are one commit."""
        return self.before == self.after


def resolve(ask: Ask, text: str | None) -> Range:
    """What a person means; None is the merge base with the upstream of main, against the working tree.

    `A..B` compares A with B; `A...B` compares their merge base with B; `A` compares A with the working tree.

    Raises:
        RangeError: no commit, no base, or a base that this clone does not have; an end that an unset variable left
            empty; no working tree where one is meant.
    """
    if text is None:
        return _default(ask)
    if not text.strip():
        raise RangeError("the range is empty", f"{_UNSET}; without any range the upstream of main is the base")
    before, dots, after = text.partition("...") if "..." in text else text.partition("..")
    head = after or "HEAD" if dots else None
    if not before.strip():
        raise RangeError(f"the range {text!r} has no base", f"{_UNSET}; HEAD{text.strip()} says that HEAD is meant")
    base = before
    tip = None if head is None else commit_of(ask, head)
    old = commit_of(ask, base)
    if dots == "..." and tip is not None:
        return Range(_merge_base(ask, tip, old, base), f"merge base of {base} and {head}", tip, str(head))
    if tip is None:
        _refuse_bare(ask, base)
    return Range(old, base, tip, head or "working tree")


def commit_of(ask: Ask, name: str) -> str:
    """The full id of the commit that a name means.

    Raises:
        RangeError: there is none.
    """
    if name and not name.startswith("-") and name.isprintable():
        try:
            return ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip()
        except GitError as error:
            if isinstance(error, NotInstalledError):
                raise RangeError(str(error)) from error
    shown = name if name.isprintable() else ascii(name)
    if name == "HEAD":
        raise RangeError("there is no commit yet", "commit once: a plan compares with something")
    raise RangeError(f"there is no commit {shown!r} here", _fetch_help(ask, shown))


def changed_paths(ask: Ask, before: str, after: str | None, watched: Sequence[str]) -> list[str]:
    """Paths that differ, relative to the folder that Git is asked in. Git compares trees by their ids, and working
    files by their times first: what did not change costs nothing. Files that Git ignores count as well.

    Raises:
        RangeError: Git cannot tell.
    """
    options = ("--name-only", "-z", "--no-renames", "--ignore-submodules=none")
    try:
        if after is not None:
            found = ask("diff-tree", "-r", "--relative", *options, before, after, "--", *watched)
        else:
            found = ask("diff", "--relative", "--no-ext-diff", *options, before, "--", *watched)
            found += ask("ls-files", "--others", "-z", "--", *watched)
    except GitError as error:
        raise RangeError(f"what differs cannot be told: {error}", _deepen_help(ask)) from error
    return sorted({os.fsdecode(path) for path in found.split(b"\0") if path})


def submodules(ask: Ask, watched: Sequence[str]) -> frozenset[str]:
    """Paths of the submodules in a working tree, relative to the folder that Git is asked in. One that nobody has
    fetched is an empty folder there.

    Raises:
        RangeError: Git cannot tell.
    """
    try:
        listed = ask("ls-files", "--stage", "-z", "--", *watched)
    except GitError as error:
        raise RangeError(f"which submodules there are cannot be told: {error}") from error
    return frozenset(
        os.fsdecode(each.partition(b"\t")[2]) for each in listed.split(b"\0") if each.startswith(_SUBMODULE)
    )


def is_bare(ask: Ask) -> bool:
    """Whether the folder that Git is asked in is inside of a repository without a working tree.

    Raises:
        RangeError: Git refuses a repository of somebody else.
    """
    try:
        return ask("rev-parse", "--is-bare-repository").strip() == b"true"
    except OwnershipError as error:
        raise RangeError(*foreign(error)) from error
    except GitError:
        return False


def refuse_sparse(ask: Ask) -> None:
    """Where every host has to be looked at, hosts that are not checked out would look as if they were removed.

    Raises:
        RangeError: the working tree lacks files on purpose.
    """
    if ask("config", "--bool", "--default", "false", "core.sparseCheckout").strip() == b"true":
        message = "this checkout is sparse: hosts that it leaves out would be taken for removed ones"
        raise RangeError(
            message, "commit, and compare commits: sgfleet plan BASE..HEAD; or git sparse-checkout disable"
        )


def folder_of(ask: Ask) -> str:
    """Where in the repository the folder is that Git is asked in, "" for its top.

    Raises:
        RangeError: Git is not there, or refuses a repository of somebody else.
        GitError: it is in no repository, or in one that cannot be read.
    """
    try:
        return os.fsdecode(ask("rev-parse", "--show-prefix")).strip("\n").strip("/")
    except NotInstalledError as error:
        raise RangeError(str(error), "install git") from error
    except OwnershipError as error:
        raise RangeError(*foreign(error)) from error


def foreign(error: OwnershipError) -> tuple[str, str]:
    """What to say, and the way out that Git itself gives, where a checkout belongs to another user (often a CI's)."""
    named = _OWNED.search(str(error))
    folder = named[1] if named else "PATH"
    allow = f"git config --global --add safe.directory {quote(folder) if named else folder}"
    return f"Git refuses {folder}: the repository belongs to another user", f"if you trust what is in it: {allow}"


def _default(ask: Ask) -> Range:
    head = commit_of(ask, "HEAD")
    _refuse_bare(ask, "BASE")
    upstream = _upstream(ask)
    if upstream is None:
        raise RangeError(
            "there is nothing to compare with: main has no upstream, and there is no origin/main",
            "name a base: `sgfleet plan HEAD` shows what is not committed, `sgfleet plan main` what a branch does",
        )
    tip = commit_of(ask, upstream)
    return Range(_merge_base(ask, head, tip, upstream), f"merge base with {upstream}", None, "working tree")


def _refuse_bare(ask: Ask, base: str) -> None:
    """A bare repository, and the folder .git itself, have commits and no files."""
    if ask("rev-parse", "--is-inside-work-tree").strip() != b"true":
        refuse_outside(ask)
        message = "this repository has no working tree to compare with: it is bare, or a folder inside of .git"
        start = "HEAD~1" if base == "HEAD" else base
        raise RangeError(message, f"name both ends: sgfleet plan {start}..HEAD")


def refuse_outside(ask: Ask) -> None:
    """A folder that is not in the working tree which Git is told to have.

    Raises:
        RangeError: it is none of that tree's, nor of Git's own.
    """
    if b"true" in ask("rev-parse", "--is-inside-work-tree", "--is-bare-repository", "--is-inside-git-dir").split():
        return
    named = os.environ.get(_WORK_TREE)
    where = f"{_WORK_TREE}={named} says" if named else "core.worktree of its configuration says"
    undo = f"unset {_WORK_TREE}" if named else "git config --unset core.worktree"
    raise RangeError(f"this folder is outside of the working tree: {where} where that is", undo)


def _upstream(ask: Ask) -> str | None:
    """The upstream of main, or what a clone without a branch main has for it."""
    branches = [f"refs/heads/{name}" for name in _MAINS]
    remotes = [f"refs/remotes/origin/{name}" for name in ("HEAD", *_MAINS)]
    form = "--format=%(refname)%00%(upstream)"
    lines = ask("for-each-ref", form, *branches, *remotes).decode(errors="surrogateescape").splitlines()
    found = dict(line.split("\0", 1) for line in lines)
    for name in (*(found.get(branch, "") for branch in branches), *(each for each in remotes if each in found)):
        if name:
            return name.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    return None


def _merge_base(ask: Ask, head: str, tip: str, name: str) -> str:
    try:
        return ask("merge-base", tip, head).decode().split()[0]
    except (GitError, IndexError) as error:
        if _is_shallow(ask):
            message = f"this clone is shallow, and where the branch left {name} is not in it"
            raise RangeError(message, _deepen_help(ask)) from error
        raise RangeError(
            f"{name} and HEAD have no commit in common", f"sgfleet plan {name} compares them as they are"
        ) from error


def _is_shallow(ask: Ask) -> bool:
    try:
        return ask("rev-parse", "--is-shallow-repository").strip() == b"true"
    except GitError:
        return False


def _fetch_help(ask: Ask, name: str) -> str:
    remote, slash, branch = name.partition("/")
    if remote == "origin" and slash:
        if not _may_be_ref(ask, branch):
            return f"{name!r} is no name of a branch: an empty variable? git branch --all lists those that are there"
        return f"git fetch --depth=1 origin {quote(f'{branch}:refs/remotes/origin/{branch}')}"
    if _is_shallow(ask):
        one = f"git fetch --depth=1 origin {quote(name)}, or " if _may_be_ref(ask, name) else ""
        return f"this clone is shallow: {one}git fetch --unshallow"
    return "git fetch, or look with git branch --all"


def _may_be_ref(ask: Ask, name: str) -> bool:
    """Whether Git takes it for the name of a branch that is somewhere else."""
    try:
        ask("check-ref-format", f"refs/heads/{name}")
    except GitError:
        return False
    return True


def _deepen_help(ask: Ask) -> str | None:
    return "git fetch --unshallow origin (in GitHub's checkout action: fetch-depth: 0)" if _is_shallow(ask) else None
