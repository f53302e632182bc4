"""Drop-ins as they stand on disk, loaded or not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.systemd.port import Failure, SystemdError, checked_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def on_disk(unit_path: Sequence[str], name: str) -> tuple[str, ...]:
    """The drop-ins that systemd would load for the unit, by their file names, as it applies them.

    `unit_path` are the folders that it reads units from, first the one that wins: of two files of one name the first
    is loaded, and one that leads to /dev/null hides the others.

    Raises:
        SystemdError: REFUSED: a folder of drop-ins cannot be listed.
    """
    checked_name(name)
    found: dict[str, Path] = {}
    for folder in unit_path:
        for owner in _owners(name):
            drop_in_folder = Path(folder, f"{owner}.d")
            try:
                entries = sorted(os.listdir(drop_in_folder))  # noqa: PTH208 - names, and no paths, are wanted
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                message = f"cannot list {drop_in_folder}: {(error.strerror or '').lower()}"
                raise SystemdError(Failure.REFUSED, message) from error
            for entry in entries:
                if entry.endswith(".conf") and not entry.startswith("."):
                    found.setdefault(entry, drop_in_folder / entry)
    return tuple(str(path) for _, path in sorted(found.items()) if path.resolve() != Path("/dev/null"))


def _owners(name: str) -> Iterator[str]:
    """Whose drop-ins a unit gets: a-b.service its own, those of a-.service, and those of all services."""
    yield name
    stem, _, kind = name.rpartition(".")
    while "-" in stem.rstrip("-"):
        stem = stem.rstrip("-").rpartition("-")[0] + "-"
        yield f"{stem}.{kind}"
    yield kind
