"""A tree of files to read from: names, kinds and bytes, and never a way out of it."""

from __future__ import annotations

import errno
import os
import stat
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sgfleet.findings import Place
from sgfleet.source import problems
from sgfleet.source.data_file import ACCESS
from sgfleet.source.decode import LARGEST_BYTES, too_large
from sgfleet.source.problems import SourceError, problem
from sgfleet.source.read import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.source.document import Document


class Kind(StrEnum):
    """What an entry of a folder is. A symbolic link is one whatever it points to."""

    FILE = "file"
    FOLDER = "folder"
    SYMLINK = "symbolic link"
    OTHER = "other"


class Entry(NamedTuple):
    """One entry of a folder."""

    name: str
    kind: Kind


class Tree(Protocol):
    """What `check` and `render` need of a repository, be it a folder or a Git revision.

    Paths are relative to the root with forward slashes; symbolic links are never followed.
    """

    def entries(self, folder: str) -> tuple[Entry, ...]:
        """The entries of a folder by name; none for a folder that is not there.

        Raises:
            SourceError: the folder cannot be listed, or is none.
        """
        ...

    def read(self, path: str) -> bytes:
        """A file's bytes.

        Raises:
            SourceError: it is missing, unreadable, too large, a symbolic link, or no regular file.
        """
        ...


class KeptTree(Tree, Protocol):
    """A tree that never changes, so that what was made from a file holds for every file with the same stamp."""

    def stamp(self, path: str) -> str | None:
        """What stands for a file's content; None where there is no such file."""
        ...

    def read_up_to(self, path: str, most_bytes: int) -> bytes:
        """As `read`, with another bound: generated data may be larger than what people write."""
        ...

    def __hash__(self) -> int:
        """Equal trees hold the same files."""
        ...


class WorkTree:
    """The files below a folder of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real = os.path.realpath(root)
        self._inside: set[str] = set()

    def entries(self, folder: str) -> tuple[Entry, ...]:
        """See `Tree`."""
        self._stay_inside(folder, folder)
        try:
            with os.scandir(os.path.join(self._real, folder)) as found:  # noqa: PTH118 - the hot path of 10,000 hosts
                return tuple(sorted(Entry(entry.name, _kind(entry)) for entry in found))
        except FileNotFoundError:
            return ()
        except NotADirectoryError:
            raise no_regular_file(folder, "something else in the place of a folder") from None
        except OSError as error:
            raise _unreadable(folder, error) from None

    def read(self, path: str) -> bytes:
        """See `Tree`. A FIFO or a device does not make it wait."""
        self._stay_inside(path.rpartition("/")[0], path)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(os.path.join(self._real, path), flags)  # noqa: PTH118 - as above
        except OSError as error:
            if os.path.islink(os.path.join(self._real, path)):  # noqa: PTH114, PTH118 - as above
                raise symlink(path) from None
            raise _unreadable(path, error) from None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                what = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or a device"
                raise no_regular_file(path, f"{what} in the place of a file")
            if status.st_size > LARGEST_BYTES:
                raise too_large(path, status.st_size)
            # One byte more than allowed: a file that grows while it is read is too large as well.
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(LARGEST_BYTES + 1)
        except OSError as error:
            raise _unreadable(path, error) from None
        finally:
            os.close(descriptor)

    def _stay_inside(self, folder: str, path: str) -> None:
        """No step of the way may be a symbolic link, `..` or absolute."""
        if leaves(path):
            raise SourceError([problem(problems.SYMLINK, "a path that leaves the repository", Place(path))])
        if folder in self._inside or not folder:
            return
        above, _, name = folder.rpartition("/")
        wanted = os.path.join(self._real, folder)  # noqa: PTH118 - as above
        if name not in {"", "."} and (not above or above in self._inside):
            if os.path.islink(wanted):  # noqa: PTH114 - as above; the steps before are known
                raise symlink(path)
        elif os.path.realpath(wanted) != os.path.normpath(wanted):
            raise symlink(path)
        self._inside.add(folder)


def read_document(tree: Tree, path: str) -> Document:
    """The YAML file at `path`.

    Raises:
        SourceError: it cannot be read, or is not the YAML that this project takes.
    """
    return read_text(tree.read(path), path)


def _kind(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return Kind.SYMLINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.FOLDER
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.OTHER


def leaves(path: str) -> bool:
    """Whether a path is absolute, goes upwards, or is none."""
    return path.startswith("/") or ".." in path.split("/") or "\0" in path


def symlink(path: str) -> SourceError:
    """A link on the way to, or at the end of, a path."""
    message = "a symbolic link, or a way through one"
    return SourceError([problem(problems.SYMLINK, message, Place(path), "put the file itself here")])


def no_regular_file(path: str, message: str) -> SourceError:
    """`message` says what is there instead."""
    return SourceError([problem(problems.NO_REGULAR_FILE, message, Place(path), "a repository has files and folders")])


def _unreadable(path: str, error: OSError) -> SourceError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return SourceError([problem(problems.MISSING, "there is no such file", Place(path))])
    if error.errno == errno.ENXIO:  # a socket
        return no_regular_file(path, "a socket in the place of a file")
    message = f"cannot be read: {(error.strerror or type(error).__name__).lower()}"
    help_ = ACCESS if isinstance(error, PermissionError) else None
    return SourceError([problem(problems.UNREADABLE, message, Place(path), help_)])
