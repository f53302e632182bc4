"""The tree of a Git revision, read from Git's objects: nothing is checked out, and the repository may be bare.

It answers as `WorkTree` does on a fresh checkout of that revision, with the same findings: a symbolic link is one
wherever it leads, a submodule is an empty folder, a file that is too large is not read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.findings import Place
from sgfleet.source import problems
from sgfleet.source.decode import LARGEST_BYTES, too_large
from sgfleet.source.git_faults import GitError
from sgfleet.source.problems import SourceError, problem
from sgfleet.source.tree import Entry, Kind, leaves, no_regular_file, symlink

if TYPE_CHECKING:
    from sgfleet.source.git_objects import GitObject, GitObjects

LARGEST_TREE_BYTES: Final = 64 * 2**20
"""A listing of a million names: more is no repository of hosts."""


class _Node(NamedTuple):
    id: str
    kind: Kind
    is_submodule: bool = False


_KINDS: Final = {0o100000: Kind.FILE, 0o040000: Kind.FOLDER, 0o120000: Kind.SYMLINK, 0o160000: Kind.FOLDER}
_FORMAT: Final = 0o170000
_SUBMODULE: Final = 0o160000
_BELOW_A_FILE: Final = _Node("", Kind.OTHER)


class GitTree:
    """What a commit (or a tree) holds. `revision` is its full id; `folder` is where in it the repository of hosts
    begins, "" for the top. Two of them are equal where they read the same objects.
    """

    def __init__(self, objects: GitObjects, revision: str, folder: str = "") -> None:
        self.revision = revision
        self._objects = objects
        self._folder = folder.strip("/")
        self._listings: dict[str, dict[str, _Node]] = {}
        self._top: str | None = None

    def entries(self, folder: str) -> tuple[Entry, ...]:
        """See `Tree`."""
        node = self._find(folder, folder)
        if node is None:
            return ()
        if node.kind is not Kind.FOLDER:
            raise no_regular_file(folder, "something else in the place of a folder")
        return tuple(sorted(Entry(name, each.kind) for name, each in self._listing(node, folder).items()))

    def read(self, path: str) -> bytes:
        """See `Tree`."""
        return self._blob(path, LARGEST_BYTES)

    def stamp(self, path: str) -> str | None:
        """The id of a file's content; None where there is no such file."""
        try:
            node = self._find(path, path)
        except SourceError:
            return None
        return node.id if node is not None and node.kind is Kind.FILE else None

    def read_up_to(self, path: str, most_bytes: int) -> bytes:
        """A file's bytes with another bound than `read` has: generated data may be larger than what people write."""
        return self._blob(path, most_bytes)

    def __eq__(self, other: object) -> bool:
        """An id stands for content, wherever it was read from."""
        return isinstance(other, GitTree) and self._identity == other._identity

    def __hash__(self) -> int:
        """As it is compared."""
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, str]:
        return (self.revision, self._folder)

    def _blob(self, path: str, most_bytes: int) -> bytes:
        node = self._find(path, path)
        if node is None or node is _BELOW_A_FILE:
            raise SourceError([problem(problems.MISSING, "there is no such file", Place(path))])
        if node.kind is not Kind.FILE:
            raise no_regular_file(path, "a folder in the place of a file")
        found = self._object(node.id, path, most_bytes)
        if found.data is None:
            raise too_large(path, found.size_bytes)
        return found.data

    def _find(self, wanted: str, path: str) -> _Node | None:
        """What stands at the end of the way; None where it, or a folder of the way, is not there."""
        if leaves(wanted):
            raise SourceError([problem(problems.SYMLINK, "a path that leaves the repository", Place(path))])
        node = _Node(self._top_id(), Kind.FOLDER)
        for step in f"{self._folder}/{wanted}".split("/"):
            if step in {"", "."}:
                continue
            if node.kind is not Kind.FOLDER:
                return _BELOW_A_FILE
            found = self._listing(node, path).get(step)
            if found is None:
                return None
            if found.kind is Kind.SYMLINK:
                raise symlink(path)
            node = found
        return node

    def _top_id(self) -> str:
        if self._top is None:
            found = self._object(f"{self.revision}^{{tree}}", "", LARGEST_TREE_BYTES)
            self._top = found.id
        return self._top

    def _listing(self, node: _Node, path: str) -> dict[str, _Node]:
        if node.is_submodule:
            return {}
        if node.id not in self._listings:
            found = self._object(node.id, path, LARGEST_TREE_BYTES)
            if found.data is None:
                raise too_large(path, found.size_bytes)
            self._listings[node.id] = _parsed(found.data, len(node.id) // 2, path)
        return self._listings[node.id]

    def _object(self, name: str, path: str, most_bytes: int) -> GitObject:
        try:
            found = self._objects.read(name, most_bytes)
        except GitError as error:
            raise _unreadable(path, str(error)) from error
        if found is None:
            raise _unreadable(path, f"this repository does not have the object {name[:80]}")
        return found


def _parsed(data: bytes, id_bytes: int, path: str) -> dict[str, _Node]:
    """The entries of a tree object: `MODE NAME`, a NUL, and the id in bytes."""
    entries: dict[str, _Node] = {}
    at = 0
    while at < len(data):
        end = data.find(b"\0", at)
        mode, _, raw = data[at:end].partition(b" ")
        name, following = os.fsdecode(raw), end + 1 + id_bytes
        if end < 0 or following > len(data) or not mode.isdigit():
            raise _unreadable(path, "a folder of this revision is damaged")
        if name in {"", ".", ".."} or "/" in name or name in entries:  # no checkout could have it
            raise _unreadable(path, f"a folder of this revision has an entry that no file system has: {name[:80]!a}")
        form = int(mode, 8) & _FORMAT
        entries[name] = _Node(data[end + 1 : following].hex(), _KINDS.get(form, Kind.OTHER), form == _SUBMODULE)
        at = following
    return entries


def _unreadable(path: str, why: str) -> SourceError:
    return SourceError([problem(problems.UNREADABLE, f"cannot be read: {why}", Place(path))])
