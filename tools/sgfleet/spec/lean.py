"""pydantic, imported without work that is never used here: both things are 6 % of a cold `check`.

Where a later pydantic does them in another way, or was imported before, this has no effect.
"""

from __future__ import annotations

import sys
import typing
from types import ModuleType
from typing import Any

import typing_extensions


class _Named(dict[str, Any]):
    """Stands in for a TypedDict whose fields nobody asks for."""

    def __init_subclass__(cls, *, total: bool = True) -> None:
        """`total` as a TypedDict takes it."""


def import_core() -> None:
    """Import pydantic's core without the fields of its 70 dictionaries, which are for type checkers alone.

    Each of their 700 annotations is a text that Python would parse and compile.
    """
    if "pydantic_core" in sys.modules:
        return
    declared = typing.TypedDict, typing_extensions.TypedDict
    typing.TypedDict = typing_extensions.TypedDict = _Named  # type: ignore[assignment]  # for this one import
    try:
        import pydantic_core  # noqa: F401 - for sys.modules
    finally:
        typing.TypedDict, typing_extensions.TypedDict = declared


def without_plugins() -> None:
    """Keep pydantic from looking for plugins in the packages around it when it builds its first model.

    None is wanted here, and the search reads the metadata of every installed package.
    """
    loader = ModuleType("pydantic.plugin._loader")
    loader.get_plugins = tuple  # type: ignore[attr-defined]  # a module made here has no declared attributes
    sys.modules.setdefault(loader.__name__, loader)
