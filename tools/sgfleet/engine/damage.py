"""A flag schema that cannot be read, as a finding, or is not there: what every command says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Finding, Place, Severity

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.engine.store import DamagedSchemaError


def lack(release: str) -> tuple[str, str]:
    """That there is none, and what to do."""
    return f"there is no flag schema of SGLang {release}", f"sgfleet schema add {release}"


def damage(error: DamagedSchemaError, root: Path | None) -> Finding:
    """The finding, with its place below the repository's root where it stands there."""
    path = error.path
    inside = path is not None and root is not None and path.is_relative_to(root)
    shown = path.relative_to(root).as_posix() if path and root and inside else str(path)
    column = 1 if error.line else 0
    return Finding(
        "SCH001",
        Severity.ERROR,
        f"the flag schema of SGLang {error.release} cannot be used: {error.message.removeprefix('cannot be read: ')}",
        Place(shown, error.line, column, error.line, column),
        help=error.help or f"take the file of the last good commit, or call sgfleet schema add {error.release}",
    )
