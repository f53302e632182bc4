"""PyYAML, imported without work that is never used here: libyaml reads, and PyYAML's own reader is not asked.

Importing it compiles the patterns of that reader, one of them a class of a million characters: 6 % of a cold `check`.
They are compiled when somebody asks them something, so PyYAML's other loaders work in this process all the same. Where
a later PyYAML compiles nothing, or was imported before, this has no effect.
"""

from __future__ import annotations

import re
import sys
from typing import Any


class _Later:
    """A pattern that is compiled the first time that something of it is asked."""

    def __init__(self, *given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)  # re keeps what it has compiled
        setattr(self, name, found)
        return found


def import_yaml() -> None:
    """Import PyYAML, its patterns uncompiled."""
    if "yaml" in sys.modules:
        return
    compile_now = re.compile
    re.compile = _Later  # type: ignore[assignment]  # for this one import
    try:
        import yaml  # noqa: F401 - for sys.modules
    finally:
        re.compile = compile_now
