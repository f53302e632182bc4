"""The docstrings under the fields of a model, read from its source: descriptions for editors.

pydantic can do this whenever a model is imported, which costs every command more than all models together.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.spec.models.base import Model


def field_docstrings(model: type[Model]) -> Mapping[str, str]:
    """Name of a field -> its docstring in one line."""
    return _classes(str(sys.modules[model.__module__].__file__)).get(model.__name__, {})


@cache
def _classes(path: str) -> Mapping[str, Mapping[str, str]]:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return {node.name: _fields(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _fields(node: ast.ClassDef) -> Mapping[str, str]:
    found = {}
    for field, below in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            text = below.value.value if isinstance(below.value, ast.Constant) else None
            if isinstance(text, str):
                found[field.target.id] = " ".join(inspect.cleandoc(text).split())
    return found
