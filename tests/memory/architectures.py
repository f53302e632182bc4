"""The architecture lists of SGLang's configs/model_config.py, read from a release's source without importing it."""

from __future__ import annotations

import ast
from typing import Any

LISTS = {
    "piecewise_cuda_graph_disabled_model_archs": "prefill_graph_off",
    "multimodal_piecewise_cuda_graph_supported_model_archs": "multimodal_piecewise",
    "multimodal_breakable_cuda_graph_supported_model_archs": "multimodal_breakable",
    "mm_disabled_models": "multimodal_off",
    "hybrid_swa_archs": "hybrid_sliding",
}
"""Name in the source -> name in our data file."""


def architecture_lists(source: str) -> dict[str, list[str]]:
    """Every list of `LISTS` that the source has, names resolved, sorted."""
    tree = ast.parse(source)
    constants: dict[str, Any] = {}
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            try:
                value = _strings(node.value, constants)
            except ValueError:
                continue
            constants[name] = value
            if name in LISTS:
                found[LISTS[name]] = sorted(value)
    return found


def _strings(node: ast.expr, constants: dict[str, Any]) -> list[str]:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        values: list[str] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                values += _strings(element.value, constants)
            elif isinstance(element, ast.Constant) and isinstance(element.value, str):
                values.append(element.value)
            else:
                values += _strings(element, constants)
        return values
    if isinstance(node, ast.Name) and node.id in constants:
        return list(constants[node.id])
    if isinstance(node, ast.Call) and node.args:
        return _strings(node.args[0], constants)
    raise ValueError(ast.unparse(node))


def eras(sources: dict[str, str]) -> dict[str, list[list[Any]]]:
    """Release -> source, oldest first, to list name -> [[release, architectures], ...] at each change."""
    table: dict[str, list[list[Any]]] = {name: [] for name in LISTS.values()}
    for release, source in sources.items():
        now = architecture_lists(source)
        for name, rows in table.items():
            before = rows[-1][1] if rows else []
            if now.get(name, []) != before:
                rows.append([release, now.get(name, [])])
    return table
