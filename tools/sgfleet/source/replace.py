"""Puts a file in place at once, so that nobody ever reads half of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(target: Path, text: str) -> None:
    """Write the text to `target`, whole or not at all; folders on the way are made.

    Raises:
        OSError: it cannot be written there.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
