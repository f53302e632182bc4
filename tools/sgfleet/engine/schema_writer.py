"""Writes the schema files of releases: from wheels, or anew from what they hold."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from sgfleet.engine import package_index, schema_file, store, wheel_release
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.source import data_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.engine.endpoints import Endpoints
    from sgfleet.engine.release import Release

_DOWNLOADS: Final = 4
"""Wheels that are fetched at the same time: pip waits more than it works."""


@dataclass(frozen=True, slots=True)
class Written:
    """A release whose schema file is now as its wheel says, and what its server answers, where a wheel was read."""

    release: Release
    path: Path
    state: Literal["added", "changed", "unchanged"]
    endpoints: Endpoints | ExtractionError | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """A release that could not be fetched or is not understood. `module` and `line` place the latter in the wheel."""

    version: str
    message: str
    module: str | None = None
    line: int | None = None


def write(release: Release, folder: Path) -> Written:
    """Write the schema file of a release, unless it is there already, byte by byte.

    Raises:
        OSError: the folder cannot be written to.
    """
    path = folder / f"{release.version}.json"
    data = schema_file.encode(release).encode()
    before = data_file.before(path, store.LARGEST_BYTES)
    if before == data:
        return Written(release, path, "unchanged")
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Written(release, path, "added" if before is None else "changed")


def from_wheel(wheel: Path, folder: Path, version: str | None = None) -> Written | Failed:
    """Write the schema of the release that a wheel file holds, which must be `version` where that is given."""
    try:
        release, endpoints = wheel_release.read(wheel)
    except ExtractionError as error:
        return Failed(version or wheel.name, error.message, error.module, error.line)
    if version is not None and release.version != version:
        return Failed(version, f"the index gave the wheel of {release.version}")
    return replace(write(release, folder), endpoints=endpoints)


def from_index(versions: Sequence[str], folder: Path) -> Iterator[Written | Failed]:
    """Fetch the wheels of releases and write their schemas, in the order given."""
    with tempfile.TemporaryDirectory(prefix="sgfleet-") as scratch, ThreadPoolExecutor(_DOWNLOADS) as pool:
        places = {version: Path(scratch, str(number)) for number, version in enumerate(versions)}
        fetched = {version: pool.submit(_fetch, version, place) for version, place in places.items()}
        try:
            for version, future in fetched.items():
                wheel = future.result()
                if isinstance(wheel, Failed):
                    yield wheel
                    continue
                yield from_wheel(wheel, folder, version)
                wheel.unlink()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _fetch(version: str, place: Path) -> Path | Failed:
    place.mkdir()
    try:
        return package_index.download(version, place)
    except package_index.PackageIndexError as error:
        return Failed(version, str(error))


def rewrite(folder: Path) -> Iterator[Written | Failed]:
    """Write every schema file anew from what it holds: after the descriptions or the form of the file have changed."""
    for version in store.versions_in(folder):
        path = folder / f"{version}.json"
        try:
            text = data_file.read_bytes(path, store.LARGEST_BYTES).decode()
            release = schema_file.decode(text, version)
        except (data_file.DataFileError, UnicodeDecodeError, schema_file.SchemaFormatError) as error:
            yield Failed(version, f"{path}: {error}")
            continue
        yield write(wheel_release.annotated(release), folder)
