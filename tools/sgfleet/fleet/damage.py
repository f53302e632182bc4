"""Generated data of a repository that cannot be used, beside its flag schemas, as findings at the damaged files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Finding, Place, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sgfleet.model.problem import ModelError

CODE: Final = "SCH002"


def damaged_model(error: ModelError, root: Path) -> Finding:
    """Facts of a model that cannot be used."""
    line = getattr(error.__cause__, "lineno", 0)  # JSON says it, and nothing else does
    return _finding(_shown(error.file, root), error.message, error.help, line)


def damaged_tables(root: Path) -> Iterator[Finding]:
    """The endpoints of the releases and the index of their options, where they are there and cannot be used."""
    from sgfleet.engine import endpoints, store
    from sgfleet.engine.argv import history

    newest = "take the file of the last good commit, or remove it: the copy that sgfleet came with is used then"
    for error in (endpoints.damage(root / store.FOLDER), history.damage(root / store.FOLDER)):
        if error is not None:
            yield _finding(_shown(error.path, root), f"cannot be used: {error.message}", error.help or newest)


def _shown(path: str, root: Path) -> str:
    """A path below the root, where it stands there."""
    return path.removeprefix(f"{root}/")


def _finding(path: str, message: str, help_: str, line: int = 0) -> Finding:
    column = 1 if line else 0
    place = Place(path, line, column, line, column)
    return Finding(CODE, Severity.ERROR, f"{path} {message}", place, help=help_)
