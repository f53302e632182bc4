"""PyYAML, imported without work that no run needs.

This package is what the commands that read a repository import first. Where PyYAML was imported before, or a later
version does its work in another way, there is no effect; tests/cli/test_start.py then says that this can go.
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
    """Import PyYAML with its patterns uncompiled, one of them a class of a million characters.

    They are its own reader's, in whose place libyaml reads here. PyYAML's other loaders work in this process all the
    same.
    """
    if "yaml" in sys.modules:
        return
    compile_now = re.compile
    re.compile = _Later  # type: ignore[assignment]  # for this one import
    try:
        import yaml  # noqa: F401 - for sys.modules
    finally:
        re.compile = compile_now
