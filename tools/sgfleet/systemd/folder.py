"""The folder of unit files: each is replaced whole and durably, or not at all, and never through a link.

What is staged stands beside the units as `.NAME.HASH.sgfleet`. systemd passes over hidden files; and a rename within a
folder needs no space, so what is staged can be installed on a full disk.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from typing import TYPE_CHECKING, Final

from sgfleet.systemd.port import MOST_UNIT_BYTES, UNIT_NAME, Failure, FileKind, SystemdError, UnitFile, checked_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODE: Final = 0o644
_STAGED: Final = ".sgfleet"
_DIGEST_DIGITS: Final = 16
_KINDS: Final = {
    errno.ENOSPC: Failure.NO_SPACE,
    errno.EDQUOT: Failure.NO_SPACE,
    errno.EROFS: Failure.READ_ONLY,
}
_REPLACEABLE: Final = {FileKind.ABSENT, FileKind.REGULAR, FileKind.EMPTY, FileKind.TOO_LARGE}


class UnitFolder:
    """The unit files in one folder. All its methods raise `SystemdError`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def read_only(self) -> bool:
        """Is it on a file system that cannot be written?"""
        try:
            return bool(os.statvfs(self.path).f_flag & os.ST_RDONLY)
        except OSError:
            return False

    def installed(self) -> tuple[str, ...]:
        """The sorted names of .service entries, whatever they are; names that nothing here could have are left out."""
        with self._errors("list"):
            try:
                names = os.listdir(self.path)  # noqa: PTH208 - names, and no paths, are wanted
            except FileNotFoundError:
                return ()
        return tuple(sorted(name for name in names if name.endswith(".service") and UNIT_NAME.fullmatch(name)))

    def read(self, name: str) -> UnitFile:
        """What stands at the unit's path."""
        checked_name(name)
        with self._errors("read", name):
            try:
                with self._opened() as folder:
                    return _look(name, folder)
            except FileNotFoundError:
                return UnitFile(FileKind.ABSENT)

    def stage(self, name: str, content: bytes) -> None:
        """Write the content beside the unit's path, durably."""
        self._check(name, content)
        with self._errors("write", name):
            self.path.mkdir(parents=True, exist_ok=True)
            with self._opened() as folder:
                _stage(_staged(name, content), content, folder)
                os.fsync(folder)

    def install(self, name: str, content: bytes) -> None:
        """Put the unit in place, from its staged copy if there is one. Nothing is done where it stands already."""
        self._check(name, content)
        with self._errors("write", name):
            self.path.mkdir(parents=True, exist_ok=True)
            with self._opened() as folder:
                there = self._replaceable(name, folder)
                if (there.content, there.mode, there.owner) != (content, MODE, os.geteuid()):
                    staged = _staged(name, content)
                    _stage(staged, content, folder)
                    os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
                if _look(name, folder).content != content:
                    raise SystemdError(Failure.REFUSED, f"{self.path / name} does not hold what was written to it")

    def remove(self, name: str) -> None:
        """Take the unit's file away, durably."""
        checked_name(name)
        with self._errors("remove", name), contextlib.suppress(FileNotFoundError), self._opened() as folder:
            if self._replaceable(name, folder).kind is not FileKind.ABSENT:
                os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def discard(self, name: str) -> None:
        """Remove all that is staged for the unit."""
        checked_name(name)
        with (
            self._errors("remove what is staged for", name),
            contextlib.suppress(FileNotFoundError),
            self._opened() as folder,
        ):
            for entry in os.listdir(folder):  # noqa: PTH208 - of this very folder, by its descriptor
                head, _, digest = entry.removesuffix(_STAGED).rpartition(".")
                if head == f".{name}" and entry.endswith(_STAGED) and len(digest) == _DIGEST_DIGITS:
                    os.unlink(entry, dir_fd=folder)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        """The folder's descriptor: all names are looked up in this very folder."""
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield folder
        finally:
            os.close(folder)

    @contextlib.contextmanager
    def _errors(self, doing: str, name: str = "") -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kind = _KINDS.get(error.errno or 0, Failure.REFUSED)
            raise SystemdError(kind, f"cannot {doing} {self.path / name}: {(error.strerror or '').lower()}") from error

    def _check(self, name: str, content: bytes) -> None:
        checked_name(name)
        if not content:
            raise SystemdError(Failure.REFUSED, f"{name} would be empty: systemd takes that for a masked unit")
        if len(content) > MOST_UNIT_BYTES:
            raise SystemdError(Failure.REFUSED, f"{name} would have {len(content)} bytes, more than {MOST_UNIT_BYTES}")

    def _replaceable(self, name: str, folder: int) -> UnitFile:
        there = _look(name, folder)
        if there.kind not in _REPLACEABLE:
            what = f"{there.kind.value}, left to whoever made it"
            raise SystemdError(Failure.REFUSED, f"{self.path / name} is {what}")
        return there


def _staged(name: str, content: bytes) -> str:
    return f".{name}.{hashlib.sha256(content).hexdigest()[:_DIGEST_DIGITS]}{_STAGED}"


def _look(name: str, folder: int) -> UnitFile:
    """What the entry is. Nothing but a regular file is opened: a pipe would wait, a device may act."""
    try:
        entry = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(entry.st_mode):
            target = os.readlink(name, dir_fd=folder)
            return UnitFile(FileKind.MASKED if target == "/dev/null" else FileKind.LINK, target=target)
        if not stat.S_ISREG(entry.st_mode):
            return UnitFile(FileKind.OTHER)
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return UnitFile(FileKind.ABSENT)
    with os.fdopen(file, "rb") as opened:
        content = opened.read(MOST_UNIT_BYTES + 1)
    mode = stat.S_IMODE(entry.st_mode)
    if len(content) > MOST_UNIT_BYTES:
        return UnitFile(FileKind.TOO_LARGE, mode=mode, owner=entry.st_uid)
    return UnitFile(FileKind.REGULAR if content else FileKind.EMPTY, content, mode, entry.st_uid)


def _stage(staged: str, content: bytes, folder: int) -> None:
    """Make sure that the file holds the content on stable storage; what a killed run left of it is made anew."""
    there = _look(staged, folder)
    whole = (there.content, there.mode, there.owner) == (content, MODE, os.geteuid())
    if not whole and there.kind is not FileKind.ABSENT:
        os.unlink(staged, dir_fd=folder)
    flags = os.O_RDONLY if whole else os.O_WRONLY | os.O_CREAT | os.O_EXCL
    file = os.open(staged, flags | os.O_NOFOLLOW | os.O_CLOEXEC, MODE, dir_fd=folder)
    try:
        with os.fdopen(file, "rb" if whole else "wb", buffering=0) as opened:
            if not whole:
                os.fchmod(file, MODE)  # the umask has been at it
                rest = memoryview(content)
                while rest:
                    rest = rest[opened.write(rest) :]
            os.fsync(file)  # a whole one too: who wrote it may have been killed before this
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(staged, dir_fd=folder)
        raise
    if _look(staged, folder).content != content:
        raise OSError(errno.EIO, "what was written does not read back")
