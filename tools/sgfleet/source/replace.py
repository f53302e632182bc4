"""Puts a file in place at once, so that nobody ever reads half of it."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path


def replace_file(target: Path, text: str) -> None:
    """Write the text to `target`, whole or not at all; folders on the way are made.

    Raises:
        OSError: it cannot be written there; the error names `target`.
    """
    try:
        _replace(target, text)
    except OSError as error:  # it names a file that the caller has never heard of, or none
        raise OSError(error.errno, error.strerror, str(target)) from error


def refuse_unwritable(target: Path) -> None:
    """For who has much to say before it writes: whether `replace_file` would be let.

    Raises:
        OSError: it would not.
    """
    folder = target.parent
    if folder.is_dir() and not os.access(
        folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids
    ):
        number = errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES
        raise OSError(number, os.strerror(number), str(target))


def _replace(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
