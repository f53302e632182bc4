"""The agent's copy of the fleet's repository: bare, shallow, and never a source of truth.

What is damaged is thrown away and fetched again. History is brought only as far down as a question needs. One process
uses it at a time (the agent's lock), so every lock of Git's that is found before a fetch was left by one that died.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeVar

from sgfleet.agent.remote import transport
from sgfleet.source.git import IsolatedGit
from sgfleet.source.git_faults import (
    CorruptError,
    GitError,
    NoSpaceError,
    NotWritableError,
    RefMissingError,
    RefusedObjectError,
    TooLargeError,
    fault,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sgfleet.agent.remote import RemoteSettings

Answer = TypeVar("Answer")

STEP: Final = 50
"""Commits of history that a later fetch brings: enough that a merged branch rarely needs a second one."""
MOST_COMMITS: Final = 2000
"""Between two commits. Signatures take about 10 ms each; more than this in one step is for a person to look at."""
MOST_PACKS: Final = 20
MOST_LISTING_BYTES: Final = 16 * 2**20
LONGEST_LINE: Final = 200
FETCHED: Final = "refs/agent/fetched"
BEFORE: Final = "refs/agent/before"
_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class UnrelatedError(GitError):
    """The one commit is not among the other's ancestors."""

    kind: ClassVar[str] = "not-descendant"
    help: ClassVar[str] = "put the branch back, and undo changes with `git revert`"


class TooManyCommitsError(GitError):
    """More commits lie between the two, as far as can be seen, than are looked at in one step."""

    kind: ClassVar[str] = "too-many-commits"
    help: ClassVar[str] = "look at the branch, then name a newer commit that you trust as the anchor in agent.toml"


class Commit(NamedTuple):
    """What a person is shown of a commit. The words are the author's: printable and bounded, and not to be believed."""

    id: str
    subject: str
    author: str
    committed_seconds: int


class Mirror:
    """A bare repository at `folder`, made when it is first needed. `GitTree(GitObjects(mirror.git), commit)` reads it.

    Every method raises GitError, of the kind that says what went wrong; see `source/git_faults.py`.
    """

    def __init__(self, folder: Path, remote: RemoteSettings) -> None:
        self.folder = folder
        self.remote = remote
        self.git = IsolatedGit(folder)

    def remote_head(self) -> str:
        """The id of the commit that the branch is at: one question to the server, nothing is written.

        Raises:
            RefMissingError: there is no such branch.
        """
        ref = f"refs/heads/{self.remote.branch}"
        verb = ("ls-remote", "--exit-code", "--end-of-options", self.remote.url, ref)
        done = self._over_network(IsolatedGit()).run(
            *verb, timeout_seconds=self.remote.timeout_seconds, most_bytes=MOST_LISTING_BYTES
        )
        if done.code not in {0, 2}:
            raise fault(done.errors, done.code, "ls-remote")
        for line in done.output.decode(errors="replace").splitlines():
            commit, _, name = line.partition("\t")
            if name == ref and _ID.fullmatch(commit):
                return commit
        raise RefMissingError(f"the remote has no branch {self.remote.branch}")

    def fetch(self, commit: str) -> None:
        """Have the commit and its whole tree, each object held against its hash. Nothing is fetched that is there.

        The first time without history; later with the last `STEP` commits, of which only what is new is sent.
        """

        def bring() -> None:
            self._prepare(commit)
            if not self.holds(commit):
                self._bring_tip(commit)
                self._tidy()
            self._check(commit)

        self._healing(bring)

    def holds(self, commit: str) -> bool:
        """Whether the commit itself is here."""
        return self._is_ready() and self.git.run("cat-file", "-e", f"{_id(commit)}^{{commit}}").code == 0

    def is_descendant(self, old: str, new: str) -> bool:
        """Whether `old` is `new` or one of its ancestors.

        Raises:
            TooManyCommitsError: it is not known within the limit.
        """
        try:
            self.commits_between(old, new)
        except UnrelatedError:
            return False
        return True

    def commits_between(self, old: str, new: str, most: int = MOST_COMMITS) -> tuple[str, ...]:
        """Every commit that `new` has and `old` does not, merged branches included, ancestors first.

        Raises:
            UnrelatedError: `old` is no ancestor of `new`.
            TooManyCommitsError: more than `most`.
        """
        if _id(old) == _id(new):
            return ()

        def look() -> tuple[str, ...]:
            self._prepare(new)
            if not self.holds(new):
                self._bring(f"--depth={STEP}", new)
            return self._between(old, new, most)

        return self._healing(look)

    def dates_on_the_way(self, old: str, new: str) -> dict[str, int]:
        """The commits between that descend from `old`, each with the second it says it was made at."""
        return self._history(MOST_COMMITS, "--ancestry-path", _id(new), f"^{_id(old)}")

    def versions(self, commit: str, path: str, most: int) -> tuple[str, ...]:
        """Up to `most` commits, newest first, that made the file what it was at some time; of the last `STEP`."""

        def look() -> tuple[str, ...]:
            self._prepare(commit)
            self._bring(f"--depth={STEP}", commit)
            return tuple(self.git("rev-list", f"--max-count={most}", _id(commit), "--", path).decode().split())

        return self._healing(look)

    def describe(self, commit: str) -> Commit:
        """What to show of a commit that is here."""
        form = "--format=%ct%x00%an%x00%s"
        said = self.git("log", "-1", "--no-decorate", "--no-notes", "--encoding=UTF-8", form, _id(commit))
        seconds, author, subject = said.decode(errors="replace").removesuffix("\n").split("\0", 2)
        return Commit(commit, _shown(subject), _shown(author), int(seconds))

    def discard(self) -> None:
        """Throw the copy away; the next call makes it anew."""
        try:
            shutil.rmtree(self.folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise NotWritableError(f"{self.folder} cannot be removed: {error.strerror}") from error

    def _between(self, old: str, new: str, most: int) -> tuple[str, ...]:
        depth = 0
        while True:
            ends = self._shallow()
            known = self.holds(old)
            found = self._history(most + 1, new, *((f"^{old}",) if known else ()))
            if len(found) > most:
                raise TooManyCommitsError(f"more than {most:,} commits between {old[:12]} and {new[:12]}")
            # Where no line of descent ends for want of history, each leads to what `old` has or to a first commit.
            if ends.isdisjoint(found) and not (known and self._is_cut_short(old, found, ends, most)):
                if known and self.git.run("merge-base", "--is-ancestor", old, new).code == 0:
                    return tuple(found)
                raise UnrelatedError(f"{new[:12]} does not descend from {old[:12]}")
            if depth > 3 * most:  # more than `most` commits would be here by now
                raise RefusedObjectError(f"the remote does not send the history below {new[:12]}")
            depth = 3 * max(depth, STEP, len(found))
            self._deepen(depth, new, old)

    def _is_cut_short(self, old: str, found: dict[str, int], ends: frozenset[str], most: int) -> bool:
        """Whether commits among `found` may belong to the part of `old`'s history that is not here.

        Not where that begins before the oldest of them. Past the limit they count as new: too many are verified then,
        never too few.
        """
        if not found:
            return False
        history = self._history(most + 1, old)
        oldest = min(found.values())
        return len(history) <= most and any(history[end] >= oldest for end in ends & history.keys())

    def _history(self, most: int, *ranges: str) -> dict[str, int]:
        """Commit -> the second that it says it was made at; ancestors first, the newest `most` of them."""
        options = ("--timestamp", "--topo-order", "--reverse", f"--max-count={most}")
        listing = self.git("rev-list", *options, *ranges, most_bytes=MOST_LISTING_BYTES)
        rows = (line.split() for line in listing.decode().splitlines())
        return {commit: int(seconds) for seconds, commit in rows}

    def _bring_tip(self, commit: str) -> None:
        """With some history where there is a mirror already: it will be asked for. Without, where that is too large."""
        if self._packs():
            with contextlib.suppress(TooLargeError):
                self._bring(f"--depth={STEP}", commit)
                return
        self._bring("--depth=1", commit)

    def _deepen(self, depth: int, new: str, old: str) -> None:
        """More history of both; of `new` alone where the remote has thrown `old` away.

        One by one, because of several commits Git asks only for those that are not here, and deepens no other. `new`
        last, because each cuts at its own depth what the other had.
        """
        with contextlib.suppress(RefMissingError):
            self._bring(f"--depth={depth}", old, BEFORE)
        self._bring(f"--depth={depth}", new)

    def _bring(self, depth: str, commit: str, ref: str = FETCHED) -> None:
        self._sweep()
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance")
        verb = ("fetch", *options, "--refmap=", depth, "--end-of-options", self.remote.url, f"+{_id(commit)}:{ref}")
        done = self._over_network(self.git).run(
            *verb,
            timeout_seconds=self.remote.fetch_timeout_seconds,
            most_file_bytes=self.remote.most_fetch_bytes,
        )
        if done.code:
            raise fault(done.errors, done.code, "fetch")

    def _over_network(self, git: IsolatedGit) -> IsolatedGit:
        way = transport(self.remote)
        return replace(git, settings=way.settings, variables=way.variables, schemes=(way.scheme,))

    def _healing(self, work: Callable[[], Answer]) -> Answer:
        """Do it; where the copy may be the reason that it failed, once more with a new one.

        Git has many words for damage, and what it says of a bad object is the same wherever that came from.
        """
        try:
            return work()
        except GitError as error:
            if type(error) not in {CorruptError, RefusedObjectError, GitError}:
                raise
        self.discard()
        return work()

    def _is_ready(self) -> bool:
        return (self.folder / "HEAD").is_file()

    def _prepare(self, commit: str) -> None:
        """A repository that can hold `commit`."""
        if self._is_ready():
            return
        self.discard()
        try:
            self.folder.mkdir(mode=0o700, parents=True)
        except OSError as error:
            kind = NoSpaceError if error.errno == 28 else NotWritableError
            raise kind(f"{self.folder} cannot be made: {error.strerror}") from error
        form = "sha1" if len(commit) == 40 else "sha256"
        self.git("init", "--quiet", "--bare", "--template=", f"--object-format={form}")

    def _packs(self) -> list[Path]:
        return sorted((self.folder / "objects" / "pack").glob("pack-*.idx"))

    def _check(self, commit: str) -> None:
        """Every object of the commit is there, and every object here has the content that its name says."""
        if self.git("cat-file", "-t", commit).strip() != b"commit":
            raise RefusedObjectError(f"{commit[:12]} is no commit")
        seconds = self.remote.fetch_timeout_seconds
        checks = (
            ("rev-list", "--objects", "--quiet", "--max-count=1", commit),
            ("verify-pack", *map(str, self._packs())),
        )
        for verb in checks:
            done = self.git.run(*verb, timeout_seconds=seconds)
            if done.code:
                raise CorruptError(str(fault(done.errors, done.code, verb[0])))

    def _shallow(self) -> frozenset[str]:
        """The commits whose parents are not here although they have some."""
        try:
            return frozenset((self.folder / "shallow").read_text("ascii").split())
        except FileNotFoundError:
            return frozenset()
        except (OSError, UnicodeDecodeError) as error:
            raise CorruptError(f"{self.folder / 'shallow'} cannot be read") from error

    def _sweep(self) -> None:
        """Remove what a Git that was killed has left: its locks would stop every later fetch."""
        for pattern in ("*.lock", "refs/**/*.lock", "shallow_*", "objects/pack/tmp_*", "objects/pack/*.lock"):
            for path in self.folder.glob(pattern):
                with contextlib.suppress(OSError):
                    path.unlink()

    def _tidy(self) -> None:
        """One pack where many have gathered, and a new copy before a fetch's bound is reached: both keep it small."""
        packs = self._packs()
        size = sum(path.stat().st_size for path in (self.folder / "objects" / "pack").iterdir())
        if size > self.remote.most_fetch_bytes:
            raise CorruptError("the copy has grown: made anew")
        if len(packs) > MOST_PACKS:
            self.git("repack", "-a", "-d", "-k", "--quiet", timeout_seconds=self.remote.fetch_timeout_seconds)


def _id(commit: str) -> str:
    """The id itself: nothing else reaches Git in the place of a commit."""
    if not _ID.fullmatch(commit):
        raise GitError(f"{commit[:80]!a} is not the full id of a commit")
    return commit


def _shown(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text)[:LONGEST_LINE]
