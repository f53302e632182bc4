"""Where the schemas of the releases are, and one of them by its version."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.engine import version as versions
from sgfleet.engine.schema_file import SchemaFormatError, decode
from sgfleet.source import data_file
from sgfleet.source.data_file import DataFileError
from sgfleet.source.problems import SourceError

if TYPE_CHECKING:
    from sgfleet.engine.release import Release
    from sgfleet.source.tree import KeptTree

FOLDER: Final = Path("schema", "sglang")
"""Below a repository's root."""

LARGEST_BYTES: Final = 4 * 2**20
_KEPT: Final = 128
_PACKAGE: Final = Path(__file__).resolve().parents[1]
_ELSEWHERE: Final = (_PACKAGE / "_schema" / "sglang", _PACKAGE.parents[1] / FOLDER)
"""The copy in an installed wheel, then the checkout that an editable install points to."""


_by_content: dict[tuple[str, str], Release] = {}


class SchemaError(Exception):
    """A release has no schema that can be used.

    `path` and `line` say where a damaged file is wrong (line 0: the file as a whole); `help` is what would solve it,
    where that is not another file. `path` is None for a release without a file, and `near` then names known releases
    that may have been meant, the nearest first.
    """

    def __init__(
        self,
        message: str,
        *,
        release: str,
        path: Path | None = None,
        line: int = 0,
        near: tuple[str, ...] = (),
        help: str | None = None,  # noqa: A002 - the name that a finding has
    ) -> None:
        super().__init__(message)
        self.message = message
        self.release = release
        self.path = path
        self.line = line
        self.near = near
        self.help = help


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
    """The releases that have a schema file in this folder, the oldest first.

    Raises:
        DataFileError: the folder cannot be listed.
    """
    return versions.in_order(name.removesuffix(".json") for name in data_file.names(folder, ".json"))


def available(root: Path | KeptTree | None = None) -> list[str]:
    """The releases that have a schema, the oldest first.

    Raises:
        DataFileError: a folder of them cannot be listed.
    """
    if root is None or isinstance(root, Path):
        return versions.in_order({version for folder in _candidates(root) for version in versions_in(folder)})
    try:
        entries = root.entries(FOLDER.as_posix())
    except SourceError as error:
        raise DataFileError(FOLDER.as_posix(), error.findings[0].message, error.findings[0].help) from None
    own = {entry.name.removesuffix(".json") for entry in entries if entry.name.endswith(".json")}
    return versions.in_order(own.union(available()))


def load(version: str, root: Path | KeptTree | None = None) -> Release:
    """The flags of a release.

    `root` is the repository, a folder or the tree of a revision, whose schemas come before those that sgfleet was
    installed with.

    Raises:
        UnknownReleaseError: no schema of this release is there.
        DamagedSchemaError: there is one, and it cannot be read.
    """
    if versions.is_release(version):
        if root is not None and not isinstance(root, Path):
            path = f"{FOLDER.as_posix()}/{version}.json"
            if (content := root.stamp(path)) is not None:
                return _kept(version, root, path, content)
            _nothing_kept(version, root, path)
            root = None
        for folder in _candidates(root):
            # os, not pathlib: this is asked for every service, and pathlib takes ten times as long.
            path = os.path.join(folder, f"{version}.json")  # noqa: PTH118
            try:
                stamp = data_file.look(path)
            except DataFileError as error:
                raise _unreadable(version, error) from None
            if stamp is not None:
                return _load(version, path, stamp.st_mtime_ns, stamp.st_size)
    near = tuple(versions.near(version, _listed(root)))
    raise UnknownReleaseError(f"there is no flag schema of SGLang {version!r}", release=version, near=near)


def _listed(root: Path | KeptTree | None) -> list[str]:
    """The releases whose name may have been meant; none where nobody can tell."""
    try:
        return available(root)
    except DataFileError:
        return []


def _unreadable(version: str, error: DataFileError) -> DamagedSchemaError:
    return DamagedSchemaError(
        f"cannot be read: {error.message}", release=version, path=Path(error.path), help=error.help
    )


def _nothing_kept(version: str, tree: KeptTree, path: str) -> None:
    """Nothing, where a revision has nothing in the place of this schema.

    Raises:
        DamagedSchemaError: it has something else than a file there, or nobody can tell.
    """
    at = FOLDER.as_posix()
    try:
        there = {entry.name: entry.kind for entry in tree.entries(at)}
    except SourceError as error:
        finding = error.findings[0]
        raise DamagedSchemaError(finding.message, release=version, path=Path(at), help=finding.help) from None
    kind = there.get(path.rpartition("/")[2])
    if kind is not None and kind.value != "file":  # the enumeration itself would bring the reader of YAML along
        raise DamagedSchemaError(f"a {kind} in the place of a file", release=version, path=Path(path))


def _kept(version: str, tree: KeptTree, path: str, content: str) -> Release:
    """From a tree. Trees come and go, contents stay: what is kept is kept by content."""
    key = (version, content)
    if key not in _by_content:
        try:
            text = tree.read_up_to(path, LARGEST_BYTES).decode()
        except (SourceError, UnicodeDecodeError) as error:
            raise DamagedSchemaError(f"cannot be read: {error}", release=version, path=Path(path)) from None
        if len(_by_content) >= _KEPT:
            _by_content.clear()
        _by_content[key] = _decoded(version, text, Path(path))
    return _by_content[key]


@lru_cache(maxsize=128)
def _load(version: str, name: str, _changed_ns: int, _size_bytes: int) -> Release:
    """Cached by the file's time and size: a schema that is added while sgfleet runs is seen."""
    path = Path(name)
    try:
        text = data_file.read_bytes(name, LARGEST_BYTES).decode()
    except DataFileError as error:
        raise _unreadable(version, error) from None
    except UnicodeDecodeError as error:
        raise DamagedSchemaError(f"cannot be read: {error}", release=version, path=path) from None
    return _decoded(version, text, path)


def _decoded(version: str, text: str, path: Path) -> Release:
    try:
        return decode(text, version)
    except SchemaFormatError as error:
        raise DamagedSchemaError(error.message, release=version, path=path, line=error.line) from None
