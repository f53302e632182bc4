"""Names and attributes -> values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract import builtin_names, classes, natives
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.extract.notes import Notes
from sgfleet.engine.extract.program import ABSENT, Module, Scope
from sgfleet.engine.extract.values import External, Lazy, Native, Unknown

if TYPE_CHECKING:
    import ast

    from sgfleet.engine.extract.interpreter import Interpreter


def lookup(name: str, scope: Scope, interpreter: Interpreter, node: ast.AST | None = None) -> Any:
    """The value of a name: local, enclosing, global, builtin."""
    inner: Scope | None = scope
    while inner is not None and inner.kind != "module":
        if name in inner.names and (inner is scope or inner.kind != "class"):
            value = inner.names[name]
            if isinstance(value, Lazy):
                value = inner.names[name] = interpreter.program.resolve(value, interpreter)
            return value
        inner = inner.parent
    value = interpreter.program.find(scope.module, name, interpreter)
    if value is not ABSENT:
        return value
    if builtin_names.is_builtin(name):
        return External(name)
    return scope.unknown(f"there is no name {name!r}", node)


def attribute_of(value: Any, name: str, scope: Scope, interpreter: Interpreter, node: ast.AST) -> Any:
    """`value.name`."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Module):
        return interpreter.program.member(value, name, interpreter)
    if isinstance(value, External):
        return builtin_names.outside(f"{value.name}.{name}")
    if natives.has(value, name):
        return Native(value, name)
    if isinstance(value, Notes):
        raise ExtractionError(
            f"what the parser's {name} does is not read", scope.module.name, getattr(node, "lineno", None)
        )
    found = classes.attribute(value, name, scope, interpreter, node)
    return found if found is not ABSENT else scope.unknown(f"no attribute {name!r} can be read here", node)
