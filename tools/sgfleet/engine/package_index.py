"""The package index, through pip: which releases of SGLang there are, and the wheel of one.

pip is run as a program of the environment that sgfleet runs in, with the configuration of the person who runs it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from sgfleet.engine import version as versions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DISTRIBUTION: Final = "sglang"

_PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14", "3.10")
"""Wheels of these versions of Python are asked for in turn. The sources in them are the same, and so is the schema."""

_PLATFORMS: Final = (*(f"manylinux_2_{minor}_x86_64" for minor in range(42, 16, -1)), "manylinux2014_x86_64")
_TIMEOUT_SECONDS: Final = 900.0
_NOT_THERE: Final = ("No matching distribution found", "Could not find a version that satisfies")


class PackageIndexError(Exception):
    """pip could not be run, or could not reach its index, or has no such release."""


def releases() -> list[str]:
    """Every final and post release on the index from `version.FIRST` on, the oldest first.

    Raises:
        PackageIndexError: the index cannot be asked.
    """
    # Whatever Python a release wants, it is read here as text.
    done = _pip("index", "versions", DISTRIBUTION, "--ignore-requires-python")
    found = re.search(r"^Available versions: (.*)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or found is None:
        raise PackageIndexError(f"pip cannot list the releases of {DISTRIBUTION}: {_complaint(done)}")
    listed = versions.in_order(part.strip() for part in found.group(1).split(","))
    return [version for version in listed if versions.key(version) >= versions.key(versions.FIRST)]


def download(version: str, folder: Path) -> Path:
    """Fetch the wheel of a release into `folder`, which is empty, and return its path.

    Raises:
        PackageIndexError: the index has no wheel of this release, or cannot be reached.
    """
    platforms = [part for platform in _PLATFORMS for part in ("--platform", platform)]
    done = None
    for python in _PYTHONS:
        wanted = [f"{DISTRIBUTION}=={version}", "--python-version", python, "--implementation", "cp", *platforms]
        done = _pip("download", "--no-deps", "--only-binary=:all:", "--dest", str(folder), *wanted)
        if done.returncode == 0:
            wheels = list(folder.glob("*.whl"))
            if len(wheels) != 1:
                raise PackageIndexError(f"pip left {len(wheels)} wheels of {DISTRIBUTION} {version}, not one")
            return wheels[0]
        if not any(sign in done.stderr for sign in _NOT_THERE):
            break
    assert done is not None  # noqa: S101  # there is at least one version of Python
    raise PackageIndexError(f"pip cannot fetch {DISTRIBUTION} {version}: {_complaint(done)}")


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    command: Sequence[str] = (sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", *arguments)
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_SECONDS, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise PackageIndexError(f"pip {arguments[0]} has not answered for {_TIMEOUT_SECONDS:.0f} s") from None
    except OSError as error:
        raise PackageIndexError(f"{sys.executable} -m pip cannot be run: {error}") from None


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The last error that pip printed, without the list of every version that there is."""
    if "No module named pip" in done.stderr:
        return "this environment has no pip"
    network = [line for line in done.stderr.splitlines() if "connection broken" in line or "timed out" in line]
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
    if network:
        return re.sub(r"^WARNING: ", "", network[-1]).strip()
    said = (errors or done.stderr.strip().splitlines() or ["no word of why"])[-1]
    return re.sub(r"\s*\(from versions:.*\)", "", said.removeprefix("ERROR:")).strip()
