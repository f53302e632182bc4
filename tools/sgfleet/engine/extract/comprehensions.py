"""Comprehensions and generator expressions, evaluated at once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract.assignments import assign
from sgfleet.engine.extract.operators import iterate, truth
from sgfleet.engine.extract.program import Scope
from sgfleet.engine.extract.values import Unknown, unknown_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.engine.extract.interpreter import Interpreter


def _rounds(generators: list[ast.comprehension], scope: Scope, interpreter: Interpreter) -> Iterator[Unknown | None]:
    """One item for each round of a comprehension, with the loop's names bound; an `Unknown` ends it."""
    if not generators:
        yield None
        return
    head, *rest = generators
    items = iterate(interpreter.evaluate(head.iter, scope), scope, head.iter)
    if isinstance(items, Unknown):
        for generator_ in generators:
            assign(generator_.target, items, scope, interpreter)
        yield items
        return
    for item in items:
        assign(head.target, item, scope, interpreter)
        for condition in head.ifs:
            holds = truth(interpreter.evaluate(condition, scope))
            if isinstance(holds, Unknown):
                yield holds
                return
            if not holds:
                break
        else:
            yield from _rounds(rest, scope, interpreter)


def _comprehension(
    generators: list[ast.comprehension], element: ast.expr, scope: Scope, interpreter: Interpreter
) -> list[Any] | Unknown:
    inner = Scope(scope.module, "function", {}, scope, line=element.lineno)
    values: list[Any] = []
    for unknown in _rounds(generators, inner, interpreter):
        if unknown is not None:
            with interpreter.in_doubt(unknown):  # for what it may declare
                interpreter.evaluate(element, inner)
            return unknown
        values.append(interpreter.evaluate(element, inner))
    return values


def list_comp(node: ast.ListComp, scope: Scope, interpreter: Interpreter) -> Any:
    """`[x for ...]`."""
    return _comprehension(node.generators, node.elt, scope, interpreter)


def set_comp(node: ast.SetComp, scope: Scope, interpreter: Interpreter) -> Any:
    """`{x for ...}`."""
    values = _comprehension(node.generators, node.elt, scope, interpreter)
    return values if isinstance(values, Unknown) else set(values)


def generator(node: ast.GeneratorExp, scope: Scope, interpreter: Interpreter) -> Any:
    """`(x for ...)`, as an iterator over values that are there already."""
    values = _comprehension(node.generators, node.elt, scope, interpreter)
    return values if isinstance(values, Unknown) else iter(values)


def dict_comp(node: ast.DictComp, scope: Scope, interpreter: Interpreter) -> Any:
    """`{k: v for ...}`."""
    pair = ast.copy_location(ast.Tuple(elts=[node.key, node.value], ctx=ast.Load()), node.key)
    values = _comprehension(node.generators, pair, scope, interpreter)
    if isinstance(values, Unknown):
        return values
    unknown = unknown_in([key for key, _ in values])
    return dict(values) if unknown is None else unknown
