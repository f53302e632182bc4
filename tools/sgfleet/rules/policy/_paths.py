"""Whether a path lies in a folder, without a look at the disk."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def lies_in(path: str, folders: Iterable[str]) -> bool:
    """Whether an absolute path is one of the folders or below one, component by component.

    A path with `..` in it lies nowhere: behind a symbolic link nobody can say from the text where it leads.
    """
    if not path.startswith("/") or ".." in path.split("/"):
        return False
    parts = _parts(path)
    return any(parts[: len(folder)] == folder for folder in map(_parts, folders))


def _parts(path: str) -> list[str]:
    return [part for part in posixpath.normpath(path).split("/") if part]
