"""What the operating system refuses: one line with the file and the reason, and what to do. No bug of ours.

Commands say it in better words where they know what they were about; this is for wherever they do not.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from sgfleet.cli.common import UsageError, gone_folder
from sgfleet.source.data_file import ACCESS, DataFileError

_HELP: Final = {
    errno.EACCES: ACCESS,
    errno.EPERM: ACCESS,
    errno.EROFS: "its file system is read-only: work on a copy that can be written, or mount it writable",
    errno.ENOSPC: "make room on that file system, then call it again",
    errno.EDQUOT: "make room below the quota, then call it again",
    errno.EIO: "look at the disk or at what serves the file system: the kernel's log says more",
    errno.ESTALE: "look at what serves the file system: the kernel's log says more",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "the machine has too many files open: end what holds them",
    errno.ENOMEM: "the machine has no memory left: end what holds it",
}
"""What the machine or its setting refuses, whatever is called. Without a file's name, only these are no bug."""
_ELSE: Final = "see what is at that place, then call it again"
_RESTORE: Final = "take what the last good commit has in its place"
_OURS: Final = frozenset({errno.EBADF, errno.EFAULT})
"""What only a wrong call of ours can bring about."""


def refusal(error: Exception) -> UsageError | None:
    """What to say of an error that nobody foresaw; None where it may be a bug of ours."""
    if isinstance(error, DataFileError):
        return UsageError(f"{_shown(error.path)}: {error.message}", error.help or _RESTORE)
    if not isinstance(error, OSError):
        return None
    named = error.filename if isinstance(error.filename, str | bytes | os.PathLike) else None
    if named is None and isinstance(error, FileNotFoundError) and _here_is_gone():
        return gone_folder()
    if error.errno in _OURS or (named is None and error.errno not in _HELP):
        return None
    reason = (error.strerror or type(error).__name__).lower()
    place = "" if named is None else f"{_shown(os.fsdecode(named))}: "
    return UsageError(f"{place}{reason}", _HELP.get(error.errno or 0, _ELSE))


def _here_is_gone() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _shown(path: str) -> str:
    """A name of one line, whatever characters it has."""
    return path if path.isprintable() and path else ascii(path)
