"""pydantic's compiled core without the packages around it, which only models need: a fifth of a cold `check`."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import ModuleType

_NAME: Final = "pydantic_core._pydantic_core"


def compiled_core() -> ModuleType:
    """The module that validates. Whoever imports pydantic after this, or did before, has the very same one.

    Raises:
        ImportError: pydantic is not there.
    """
    if _NAME in sys.modules:
        return sys.modules[_NAME]
    package = PathFinder.find_spec("pydantic_core")
    spec = PathFinder.find_spec(_NAME, package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:  # neither in a folder nor in an archive: somebody's own way of importing
        import pydantic_core._pydantic_core as there

        return there
    sys.modules[_NAME] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
