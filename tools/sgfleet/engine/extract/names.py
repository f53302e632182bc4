"""Which names a statement binds, and which it may change."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def base_name(node: ast.expr) -> str | None:
    """`x` of `x`, `x.a.b`, `x[0].c`; None when the expression does not start with a name."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _targets(node: ast.expr) -> Iterator[str]:
    if isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from _targets(element)
        return
    name = base_name(node)
    if name is not None:
        yield name


def alias_name(alias: ast.alias) -> str:
    """The name that one part of an import statement binds."""
    return alias.asname or alias.name.partition(".")[0]


def _of_call(node: ast.expr) -> Iterator[str]:
    """What a call that stands alone may change: its receiver and its arguments."""
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute):
        name = base_name(node.func)
        if name is not None:
            yield name
    for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
        name = base_name(argument)
        if name is not None:
            yield name


def _bound_by(statement: ast.stmt) -> list[ast.expr]:
    """The targets that the statement itself assigns to or deletes."""
    match statement:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return [target]
        case ast.For(target=target) | ast.AsyncFor(target=target):
            return [target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return [item.optional_vars for item in items if item.optional_vars is not None]
    return []


def touched(statement: ast.stmt) -> set[str]:
    """Every name that the statement binds, deletes or may change in place, blocks inside included."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return {alias_name(alias) for alias in aliases if alias.name != "*"}
    names = {name for target in _bound_by(statement) for name in _targets(target)}
    if isinstance(statement, ast.Expr):
        names.update(_of_call(statement.value))
    for block in blocks(statement):
        names.update(touched_by(block))
    for node in ast.walk(statement) if not blocks(statement) else ():
        if isinstance(node, ast.NamedExpr):
            names.update(_targets(node.target))
    return names


def blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The statement lists inside a compound statement. Functions and classes have their own names: none of theirs."""
    match statement:
        case ast.If(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
            return [body, orelse]
        case ast.For(body=body, orelse=orelse) | ast.AsyncFor(body=body, orelse=orelse):
            return [body, orelse]
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return [body]
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            return [body, *(handler.body for handler in handlers), orelse, final]
        case ast.Match(cases=cases):
            return [case.body for case in cases]
    return []


def touched_by(statements: Iterable[ast.stmt]) -> set[str]:
    """Every name that one of the statements binds or may change."""
    names: set[str] = set()
    for statement in statements:
        names.update(touched(statement))
    return names


def bound_by(statements: Iterable[ast.stmt]) -> set[str]:
    """Every plain name that one of the statements binds; what is only changed in place is not meant."""
    names: set[str] = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                names.add(node.id)
            elif isinstance(node, ast.alias):
                names.add(alias_name(node))
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.add(node.name)
    return names


def star_imports(statements: Iterable[ast.stmt]) -> Iterator[ast.ImportFrom]:
    """Every `from m import *`, inside blocks too."""
    for statement in statements:
        if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names):
            yield statement
        for block in blocks(statement):
            yield from star_imports(block)
