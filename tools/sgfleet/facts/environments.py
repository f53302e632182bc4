"""Python environments: which SGLang each has, read from its installed metadata. Nothing of it is run."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from sgfleet.facts.gpu import known

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.facts.machine import Machine

HOW: Final = "metadata of the installed packages"
_RELEASE: Final = re.compile(r"\d+\.\d+\.\d+(?:\.post\d+)?")
_METADATA: Final = re.compile(r"sglang-[^-/]+\.dist-info", re.IGNORECASE)
_VERSION_LINE: Final = re.compile(r"^Version:\s*(\S{1,100})\s*$", re.MULTILINE)


def read(machine: Machine, pythons: Iterable[str]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The part `environments` of the facts, in the order given, and what of it is unknown."""
    found = []
    unknown = {}
    for python in dict.fromkeys(pythons):
        release, reason = release_of(machine, python)
        found.append(known({"python": python, "release": release}))
        if reason:
            unknown[f"environments.{python}"] = reason
    return found, unknown


def release_of(machine: Machine, python: str) -> tuple[str | None, str | None]:
    """The SGLang release behind an interpreter, or why it is unknown."""
    bin_folder = PurePosixPath(python).parent
    if (reason := machine.shut(python)) is not None:
        return None, f"cannot be looked at: {reason}"[:500]
    if PurePosixPath(python).name not in (machine.names(str(bin_folder)) or ()):
        return None, f"there is no {python}"[:500]
    folders = list(_site_packages(machine, bin_folder.parent))
    versions = {version for folder in folders for version in _versions(machine, folder)}
    if not versions:
        looked = ", ".join(folders) or f"{bin_folder.parent}/lib/python3*/site-packages"
        return None, f"no SGLang is installed: looked in {looked}"[:500]
    if len(versions) > 1:
        return None, f"several versions are installed: {', '.join(sorted(versions))}"[:500]
    version = versions.pop()
    if not _RELEASE.fullmatch(version):
        return None, f"{version} is no final or post release"[:500]
    return version, None


def _site_packages(machine: Machine, prefix: PurePosixPath) -> Iterator[str]:
    """Where packages of an environment lie. One that sees its system's packages also has what its base has."""
    for lib in ("lib", "lib64"):
        for name in machine.names(f"{prefix}/{lib}") or ():
            if re.fullmatch(r"python3(\.\d+)?t?", name):
                for kind in ("site-packages", "dist-packages"):
                    if machine.names(f"{prefix}/{lib}/{name}/{kind}") is not None:
                        yield f"{prefix}/{lib}/{name}/{kind}"
    settings = machine.read(f"{prefix}/pyvenv.cfg") or ""
    home = re.search(r"^home\s*=\s*(/\S+)\s*$", settings, re.MULTILINE)
    if home and re.search(r"^include-system-site-packages\s*=\s*true\s*$", settings, re.MULTILINE | re.IGNORECASE):
        base = PurePosixPath(home[1]).parent
        if base != prefix and not machine.read(f"{base}/pyvenv.cfg"):
            yield from _site_packages(machine, base)


def _versions(machine: Machine, folder: str) -> Iterator[str]:
    for name in machine.names(folder) or ():
        if _METADATA.fullmatch(name):
            match = _VERSION_LINE.search((machine.read(f"{folder}/{name}/METADATA") or "").partition("\n\n")[0])
            if match:
                yield match[1]
