"""Where the schemas of the releases are, and one of them by its version."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.engine import version as versions
from sgfleet.engine.schema_file import SchemaFormatError, decode

if TYPE_CHECKING:
    from sgfleet.engine.release import Release

FOLDER: Final = Path("schema", "sglang")
"""Below a repository's root."""

_LARGEST_BYTES: Final = 4 * 2**20
_PACKAGE: Final = Path(__file__).resolve().parents[1]
_ELSEWHERE: Final = (_PACKAGE / "_schema" / "sglang", _PACKAGE.parents[1] / FOLDER)
"""The copy in an installed wheel, then the checkout that an editable install points to."""


class SchemaError(Exception):
    """A release has no schema that can be used.

    `path` and `line` say where a damaged file is wrong (line 0: the file as a whole). `path` is None for a release
    without a file, and `near` then names known releases that may have been meant, the nearest first.
    """

    def __init__(
        self, message: str, *, release: str, path: Path | None = None, line: int = 0, near: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.release = release
        self.path = path
        self.line = line
        self.near = near


class UnknownReleaseError(SchemaError):
    """There is no schema of this release."""


class DamagedSchemaError(SchemaError):
    """The release's schema file cannot be read."""


def folders(root: Path | None = None) -> list[Path]:
    """The folders that hold schemas, the first one wins: the repository's, then what sgfleet was installed with."""
    return [folder for folder in _candidates(root) if folder.is_dir()]


@lru_cache(maxsize=64)
def _candidates(root: Path | None) -> tuple[Path, ...]:
    return (root / FOLDER, *_ELSEWHERE) if root is not None else _ELSEWHERE


def versions_in(folder: Path) -> list[str]:
    """The releases that have a schema file in this folder, the oldest first."""
    return versions.in_order(path.stem for path in folder.glob("*.json"))


def available(root: Path | None = None) -> list[str]:
    """The releases that have a schema, the oldest first."""
    return versions.in_order({version for folder in folders(root) for version in versions_in(folder)})


def load(version: str, root: Path | None = None) -> Release:
    """The flags of a release.

    `root` is the repository, whose schemas come before those that sgfleet was installed with.

    Raises:
        UnknownReleaseError: no schema of this release is there.
        DamagedSchemaError: there is one, and it cannot be read.
    """
    if versions.is_release(version):
        for folder in _candidates(root):
            # os, not pathlib: this is asked for every service, and pathlib takes ten times as long.
            path = os.path.join(folder, f"{version}.json")  # noqa: PTH118
            try:
                stamp = os.stat(path)  # noqa: PTH116
            except OSError:
                continue
            return _load(version, path, stamp.st_mtime_ns, stamp.st_size)
    near = tuple(versions.near(version, available(root)))
    raise UnknownReleaseError(f"there is no flag schema of SGLang {version!r}", release=version, near=near)


@lru_cache(maxsize=128)
def _load(version: str, name: str, _changed_ns: int, size_bytes: int) -> Release:
    """Cached by the file's time and size: a schema that is added while sgfleet runs is seen."""
    path = Path(name)
    if size_bytes > _LARGEST_BYTES:
        raise DamagedSchemaError(
            f"{size_bytes} bytes: a flag schema has at most {_LARGEST_BYTES}", release=version, path=path
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DamagedSchemaError(f"cannot be read: {error}", release=version, path=path) from None
    try:
        return decode(text, version)
    except SchemaFormatError as error:
        raise DamagedSchemaError(error.message, release=version, path=path, line=error.line) from None
