"""Generated data below schema/: a file's bytes whole, or the reason why not.

Nothing that is there counts as absent, whatever it is: what stands in a file's place, what cannot be entered and what
leads nowhere is said. A pipe or a device does not make anyone wait.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

ACCESS: Final = "give the user that runs sgfleet access to it, or run sgfleet as a user that has it"
"""What is done where the system refuses."""


class DataFileError(Exception):
    """Something is there and cannot be read. `path` is what is at fault, which may be a folder of the way; `help` is
    None where the file itself has to be mended.
    """

    def __init__(self, path: str, message: str, help: str | None = None) -> None:  # noqa: A002 - as a finding has it
        super().__init__(message)
        self.path = path
        self.message = message
        self.help = help


def look(path: str | Path) -> os.stat_result | None:
    """What the system knows of a regular file, behind links; None where there is nothing at all.

    Raises:
        DataFileError: something else is there, or nobody can tell.
    """
    name = os.fspath(path)
    try:
        found = os.stat(name)  # noqa: PTH116 - asked for every service, and pathlib takes ten times as long
    except OSError as error:
        _explain(name, error)
        return None
    if not stat.S_ISREG(found.st_mode):
        raise DataFileError(name, f"{_kind(found.st_mode)} in the place of a file")
    return found


def read_bytes(path: str | Path, most_bytes: int) -> bytes:
    """A file's bytes.

    Raises:
        DataFileError: it is not there, no regular file, too large, or cannot be read.
    """
    name = os.fspath(path)
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise DataFileError(name, "a socket in the place of a file") from None
        _explain(name, error)
        raise DataFileError(name, "there is no such file") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise DataFileError(name, f"{_kind(found.st_mode)} in the place of a file")
        if found.st_size > most_bytes:
            raise DataFileError(name, f"{found.st_size} bytes, and such a file has at most {most_bytes}")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    except OSError as error:
        raise _refused(name, error) from None
    finally:
        os.close(descriptor)


def before(path: str | Path, most_bytes: int) -> bytes | None:
    """What a file holds that is about to be written anew; None where that cannot be told, or there is none."""
    try:
        return read_bytes(path, most_bytes)
    except DataFileError:
        return None


def names(folder: str | Path, ending: str) -> list[str]:
    """The names in a folder that end so; none where there is no folder.

    Raises:
        DataFileError: the folder cannot be listed, or something else is in its place.
    """
    place = os.fspath(folder)
    try:
        return sorted(name for name in os.listdir(place) if name.endswith(ending) and not name.startswith("."))  # noqa: PTH208 - names
    except OSError as error:
        _explain(place, error)
        return []


def _explain(name: str, error: OSError) -> None:
    """Nothing, where there is nothing.

    Raises:
        DataFileError: what is at fault, at the place of the way that is.
    """
    if error.errno == errno.ENAMETOOLONG:  # no file system could have it
        return
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise _refused(_at_fault(name), error) from None
    while not os.path.lexists(name):
        name = os.path.dirname(name)  # noqa: PTH120 - as above
        if not name:
            return
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116 - as above
    except FileNotFoundError:
        raise DataFileError(name, "a symbolic link that leads nowhere") from None
    except OSError as other:
        raise _refused(name, other) from None
    if not stat.S_ISDIR(mode):
        raise DataFileError(name, f"{_kind(mode)} in the place of a folder")


def _at_fault(name: str) -> str:
    """The first step of the way that the system does not take."""
    while (above := os.path.dirname(name)) and above != name:  # noqa: PTH120 - as above
        try:
            os.stat(above)  # noqa: PTH116 - as above
        except OSError:
            name = above
        else:
            return name if os.access(above, os.X_OK) else above
    return name


def _refused(name: str, error: OSError) -> DataFileError:
    if error.errno == errno.ELOOP:
        return DataFileError(name, "a symbolic link that leads nowhere")
    help_ = ACCESS if isinstance(error, PermissionError) else None
    return DataFileError(name, (error.strerror or type(error).__name__).lower(), help_)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a file" if stat.S_ISREG(mode) else "a pipe or a device"
