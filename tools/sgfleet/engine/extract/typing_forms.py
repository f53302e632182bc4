"""Types: `Optional[X]`, `X | None`, `List[X]`, `Literal[...]`, `Annotated[X, ...]`, and what `typing` says of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import builtin_names
from sgfleet.engine.extract.values import Class, External, Generic, Unknown

if TYPE_CHECKING:
    from sgfleet.engine.extract.interpreter import Interpreter
    from sgfleet.engine.extract.program import Scope

ANNOTATED: Final = External("typing.Annotated")
LITERAL: Final = External("typing.Literal")
UNION: Final = External("typing.Union")
OPTIONAL: Final = External("typing.Optional")
NONE_TYPE: Final = External("NoneType")


def is_type(value: object) -> bool:
    """Whether `|` makes a union of the value."""
    return value is None or isinstance(value, (External, Generic, Class))


def union(types: list[Any]) -> Any:
    """The union of types, flat and without repetition; of one type, that type."""
    members: list[Any] = []
    for one in types:
        kind = NONE_TYPE if one is None else one
        parts = kind.args if isinstance(kind, Generic) and kind.origin == UNION else (kind,)
        members.extend(part for part in parts if part not in members)
    return members[0] if len(members) == 1 else Generic(UNION, tuple(members))


def _argument(value: Any, scope: Scope, interpreter: Interpreter, node: ast.AST) -> Any:
    """A type in a type's brackets, where a string is a type that is written later."""
    if not isinstance(value, str):
        return value
    return forward(value, scope, interpreter, node)


def forward(text: str, scope: Scope, interpreter: Interpreter, node: ast.AST | None = None) -> Any:
    """The type that a string annotation names."""
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return scope.unknown(f"{text!r} is no type", node)
    return interpreter.evaluate(parsed, scope)


def subscript(value: External | Generic, node: ast.Subscript, scope: Scope, interpreter: Interpreter) -> Any:
    """`value[...]` for a type; everything else that is outside the wheel is unknown under its brackets."""
    if isinstance(value, Generic):
        return scope.unknown("a type with its brackets filled", node)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    arguments = [interpreter.evaluate(part, scope) for part in parts]
    if value == LITERAL:
        return Generic(LITERAL, tuple(arguments))
    if value == ANNOTATED:
        if len(arguments) == 1 and isinstance(arguments[0], tuple):
            arguments = list(arguments[0])
        inner = _argument(arguments[0], scope, interpreter, node)
        if isinstance(inner, Generic) and inner.origin == ANNOTATED:
            return Generic(ANNOTATED, (*inner.args, *arguments[1:]))
        return Generic(ANNOTATED, (inner, *arguments[1:]))
    arguments = [_argument(argument, scope, interpreter, node) for argument in arguments]
    if value == OPTIONAL:
        return union([arguments[0], None])
    if value == UNION:
        return union(arguments)
    if value.name == "os.environ":
        return _variable(arguments[0], scope, interpreter, node)
    if value.name.partition(".")[0] in ("typing", "collections", "list", "dict", "tuple", "set", "frozenset", "type"):
        return Generic(value, tuple(arguments))
    return scope.unknown(f"{value.name}[...] is outside the wheel", node)


def _variable(name: object, scope: Scope, interpreter: Interpreter, node: ast.AST) -> Any:
    found = interpreter.variable(name) if isinstance(name, str) else None
    return found if found is not None else scope.unknown(f"environment variable {name!r} is not set", node)


def get_origin(value: Any) -> Any:
    """`typing.get_origin`."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, External) and not builtin_names.is_known(value.name):
        return Unknown(f"{value.name} is outside the wheel")
    return value.origin if isinstance(value, Generic) else None


def get_args(value: Any) -> Any:
    """`typing.get_args`."""
    if isinstance(value, Unknown):
        return value
    return value.args if isinstance(value, Generic) else ()
