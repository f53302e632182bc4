"""Writes facts files, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sgfleet.model.facts import NAME
from sgfleet.model.problem import ModelError
from sgfleet.model.store import LARGEST_BYTES, file_name
from sgfleet.source import data_file

if TYPE_CHECKING:
    from sgfleet.model.facts import Facts


def write(facts: Facts, text: str, folder: Path) -> Literal["added", "changed", "unchanged"]:
    """Write the facts of a model into a folder, unless they are there already, byte by byte.

    Raises:
        ModelError: The folder cannot be written to.
    """
    if not NAME.fullmatch(facts.name):
        raise ModelError(f"{facts.name!a} is no name for a model", file=facts.source, help="give --name org/name")
    path = folder / file_name(facts.name)
    try:
        before = data_file.before(path, LARGEST_BYTES)
        if before == text.encode():
            return "unchanged"
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelError(f"cannot be written: {reason}", file=str(path), help="check the folder's owner") from error
    return "added" if before is None else "changed"
