"""Files that are whole or not there: temp, fsync, rename, fsync of the folder, read back."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = 0o600


def write(path: Path, content: bytes, mode: int = PRIVATE) -> None:
    """Replace the file. When this returns, a power cut leaves the new content; when it raises, the old one.

    Raises:
        OSError: it could not be written, or does not read back.
    """
    fresh = path.with_name(f".{path.name}.new")
    # What a killed run left is not ours to add to, and a link in its place is not followed.
    with contextlib.suppress(FileNotFoundError):
        fresh.unlink()
    try:
        file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(file, "wb") as opened:
            os.fchmod(file, mode)
            opened.write(content)
            opened.flush()
            os.fsync(file)
        os.replace(fresh, path)  # noqa: PTH105 - beside os.open and os.fsync
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    sync_folder(path.parent)
    if path.read_bytes() != content:
        raise OSError(f"{path} does not hold what was written to it")


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
