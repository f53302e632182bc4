"""A digest of what a function or class does, by its source: the key under which behaviours are known.

Two sources have the same digest when they differ only in comments, docstrings, annotations, line breaks, or in what a
message says (logged, warned, printed, raised, asserted). The functions of the wheel that are called count as part of
it. The digest does not depend on the version of Python that computes it.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract.lookups import lookup
from sgfleet.engine.extract.values import Class, External, Function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.engine.extract.interpreter import Interpreter
    from sgfleet.engine.extract.program import Scope

_LEFT_OUT: Final = {"ctx", "kind", "type_comment", "type_params", "annotation", "returns"}
_TALKING: Final = ("logging.Logger.", "warnings.warn", "print")
_NOT_COMPARED: Final = {"__init__", "format_usage", "__repr__"}
"""Methods of an action that do not say what it does: the constructor is evaluated for each flag instead."""


def digest(value: Function | Class, interpreter: Interpreter) -> str:
    """Twelve hexadecimal digits."""
    text = repr(_of(value, interpreter, ()))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _of(value: Function | Class, interpreter: Interpreter, inside: tuple[object, ...]) -> tuple[Any, ...]:
    if any(value is outer for outer in inside):
        return ("itself",)
    inside = (*inside, value)
    if isinstance(value, Class):
        methods = [
            (name, _of(member, interpreter, inside))
            for name, member in sorted(value.namespace.items())
            if isinstance(member, Function) and name not in _NOT_COMPARED
        ]
        return ("class", [_name_of(base, interpreter, inside) for base in value.bases], methods)
    body = _Silence(value.module.scope, interpreter).of(value)
    arguments = [node.arg for node in ast.walk(value.node.args) if isinstance(node, ast.arg)]
    return ("function", arguments, [_plain(part) for part in body], _outer(value, body, interpreter, inside))


def _name_of(value: object, interpreter: Interpreter, inside: tuple[object, ...]) -> Any:
    if isinstance(value, (Class, Function)):
        return _of(value, interpreter, inside)
    return value.name if isinstance(value, External) else type(value).__name__


def _outer(
    function: Function, body: Sequence[ast.stmt], interpreter: Interpreter, inside: tuple[object, ...]
) -> list[tuple[Any, ...]]:
    """What the body's outer names mean: libraries by their dotted name, functions of the wheel by their source."""
    nodes = [node for part in body for node in ast.walk(part)]
    inner = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    inner |= {node.arg for node in ast.walk(function.node.args) if isinstance(node, ast.arg)}
    inner |= {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    result: list[tuple[Any, ...]] = []
    for name in sorted({node.id for node in nodes if isinstance(node, ast.Name)} - inner):
        value = lookup(name, function.module.scope, interpreter)
        if isinstance(value, (Function, External)):
            result.append((name, _name_of(value, interpreter, inside)))
    return result


class _Silence(ast.NodeTransformer):
    """Takes the words out of a function: what it logs, and what its exceptions and assertions say."""

    def __init__(self, scope: Scope, interpreter: Interpreter) -> None:
        self._scope = scope
        self._interpreter = interpreter

    def of(self, function: Function, depth: int = 3) -> list[ast.stmt]:
        """The function's statements, without those that only talk and the names that only talk has needed."""
        node = function.node
        if isinstance(node, ast.Lambda):
            return [ast.Return(value=node.body)]
        self._depth = depth
        body = [self.visit(copy.deepcopy(statement)) for statement in node.body]
        body = [statement for statement in body if not isinstance(statement, ast.Pass)]
        while True:
            read = {
                part.id
                for statement in body
                for part in ast.walk(statement)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
            }
            needed = [statement for statement in body if not _unread(statement, read)]
            if len(needed) == len(body):
                return body
            body = needed

    def _talks(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return False
        name = node.func
        while isinstance(name, ast.Attribute):
            name = name.value
        if not isinstance(name, ast.Name):
            return False
        value = lookup(name.id, self._scope, self._interpreter)
        if isinstance(value, External):
            return (value.name + ast.unparse(node.func).removeprefix(name.id)).startswith(_TALKING)
        if isinstance(value, Function) and name is node.func and self._depth > 0:
            return not _Silence(value.module.scope, self._interpreter).of(value, self._depth - 1)
        return False

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A statement that only talks is `pass`."""
        if isinstance(node.value, ast.Constant) or self._talks(node.value):
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Which exception, not what it says."""
        return ast.Raise(exc=node.exc.func if isinstance(node.exc, ast.Call) else node.exc, cause=None)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """What is asserted, not what is said then."""
        return ast.Assert(test=node.test, msg=None)


def _unread(statement: ast.stmt, read: set[str]) -> bool:
    return isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) and target.id not in read for target in statement.targets
    )


def _plain(node: Any) -> Any:
    """A syntax tree as tuples of strings, without what does not change its meaning."""
    if isinstance(node, ast.AST):
        parts = [
            (name, _plain(value))
            for name, value in ast.iter_fields(node)
            if name not in _LEFT_OUT and value is not None and value != []
        ]
        return (type(node).__name__, parts)
    if isinstance(node, list):
        return [_plain(item) for item in node]
    return repr(node)
