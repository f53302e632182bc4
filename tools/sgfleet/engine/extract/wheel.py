"""A wheel: its metadata, and the text of its modules."""

from __future__ import annotations

import hashlib
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from email.parser import HeaderParser
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from sgfleet.engine.extract.errors import ExtractionError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LARGEST_MODULE_BYTES: Final = 16 * 2**20
"""A module beyond this is no source that a person wrote: refuse it instead of unpacking it."""


_DAMAGE: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, LookupError, NotImplementedError,
    RuntimeError,
)  # fmt: skip
"""What the archive's reader raises when the file is not what it should be."""


class Sources(Protocol):
    """Where an interpreter gets the text of a module from."""

    def has(self, module: str) -> bool:
        """Whether there is such a module or package."""

    def text(self, module: str) -> str:
        """The source text of a module, or of a package's `__init__`."""

    def is_package(self, module: str) -> bool:
        """Whether the module is a package (relative imports count from it)."""


@dataclass(frozen=True)
class Texts:
    """Modules that are given as text: {"pkg.module": source}. A package is a module that others are below."""

    modules: Mapping[str, str]

    def has(self, module: str) -> bool:
        """Whether there is such a module or package."""
        return module in self.modules or self.is_package(module)

    def text(self, module: str) -> str:
        """The source text of a module, or of a package's `__init__`."""
        return self.modules.get(module, "")

    def is_package(self, module: str) -> bool:
        """Whether another module is below this one."""
        return any(name.startswith(module + ".") for name in self.modules)


@dataclass(frozen=True)
class Wheel:
    """A wheel file on disk. Only its directory is read at first; modules are unpacked one by one, in memory.

    Raises:
        ExtractionError: the file is no wheel of `distribution`, is damaged, or holds what no wheel holds.
    """

    path: Path
    distribution: str = "sglang"
    _zip: zipfile.ZipFile = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Open the archive, and see whether it is a wheel of the distribution."""
        try:
            archive = zipfile.ZipFile(self.path)
        except FileNotFoundError:
            raise ExtractionError(f"{self.path}: there is no such file") from None
        except _DAMAGE as error:
            raise ExtractionError(f"{self.path}: not a wheel: {error}") from None
        object.__setattr__(self, "_zip", archive)
        if self._header("Name").lower().replace("_", "-") != self.distribution:
            raise ExtractionError(f"{self.path}: a wheel of {self._header('Name')!r}, not of {self.distribution!r}")

    def close(self) -> None:
        """Let go of the file."""
        self._zip.close()

    def _read(self, name: str) -> bytes:
        try:
            size = self._zip.getinfo(name).file_size
            if size > _LARGEST_MODULE_BYTES:
                raise ExtractionError(f"{self.path}: {name} has {size} bytes; at most {_LARGEST_MODULE_BYTES} are read")
            return self._zip.read(name)
        except _DAMAGE as error:
            raise ExtractionError(f"{self.path}: {name} is damaged: {error}") from None

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self._zip.namelist())

    @cached_property
    def _metadata(self) -> Mapping[str, str]:
        found = [name for name in self._names if name.count("/") == 1 and name.endswith(".dist-info/METADATA")]
        if len(found) != 1:
            raise ExtractionError(f"{self.path}: {len(found)} METADATA files; a wheel has one")
        return dict(HeaderParser().parsestr(self._read(found[0]).decode("utf-8", "replace")).items())

    def _header(self, name: str) -> str:
        value = self._metadata.get(name)
        if value is None:
            raise ExtractionError(f"{self.path}: its METADATA has no {name}")
        return value.strip()

    @property
    def version(self) -> str:
        """The release, as the wheel's metadata names it."""
        return self._header("Version")

    @property
    def requires_python(self) -> str | None:
        """The version specifier of Python, None when the release does not say."""
        value = self._metadata.get("Requires-Python")
        return value.strip() if value else None

    @cached_property
    def sha256(self) -> str:
        """The digest of the file, in hexadecimal digits."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _file(self, module: str) -> str | None:
        base = module.replace(".", "/")
        for name in (f"{base}.py", f"{base}/__init__.py"):
            if name in self._names:
                return name
        return None

    @cached_property
    def _folders(self) -> frozenset[str]:
        folders: set[str] = set()
        for name in self._names:
            while "/" in name:
                name = name.rpartition("/")[0]
                if name in folders:
                    break
                folders.add(name)
        return frozenset(folders)

    def has(self, module: str) -> bool:
        """Whether the wheel has such a module, package or namespace package."""
        return self._file(module) is not None or module.replace(".", "/") in self._folders

    def text(self, module: str) -> str:
        """The source text of a module, "" for a package without an `__init__`."""
        name = self._file(module)
        if name is None:
            return ""
        try:
            return self._read(name).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ExtractionError(f"not UTF-8: {error}", module) from None

    def is_package(self, module: str) -> bool:
        """Whether the module is a package."""
        return f"{module.replace('.', '/')}.py" not in self._names and self.has(module)
