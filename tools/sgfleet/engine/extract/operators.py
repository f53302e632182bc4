"""Operators, conditions and iteration on values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import builtin_names, classes, natives, typing_forms
from sgfleet.engine.extract.values import (
    PLAIN,
    Class,
    EnumMember,
    External,
    Generic,
    Instance,
    Unknown,
    in_order,
    is_plain,
    unknown_in,
)

if TYPE_CHECKING:
    from sgfleet.engine.extract.program import Scope


def truth(value: object) -> bool | Unknown:
    """Whether a condition holds."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (list, tuple, set, frozenset, dict, *PLAIN)):
        return bool(value)
    if isinstance(value, External):
        return True if builtin_names.is_known(value.name) else Unknown(f"{value.name} is outside the wheel")
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        for method in ("__bool__", "__len__"):
            if classes.in_classes(value.cls, method) is not None:
                return Unknown(f"{value.cls.name}.{method} decides", value.cls.module.name, value.cls.line)
    if isinstance(value, EnumMember):
        return True if not isinstance(value.value, int) else bool(value.value)
    return True


def iterate(value: object, scope: Scope, node: ast.AST) -> list[Any] | Iterator[Any] | Unknown:
    """The elements of a value, sets in a fixed order."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (set, frozenset)):
        return in_order(value)
    if isinstance(value, range) and len(value) > natives.LARGEST:
        return scope.unknown(f"more than {natives.LARGEST} elements", node)
    if isinstance(value, (list, tuple, str, dict, range)):
        return list(value)
    if isinstance(value, Class):
        members = classes.members(value)
        if members is not None:
            return list(members)
    if isinstance(value, Iterator):
        return value
    return scope.unknown(f"cannot go through a {type(value).__name__}", node)


_BINARY: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}


def binary(kind: type[ast.operator], left: Any, right: Any, scope: Scope, node: ast.AST) -> Any:
    """`left <operator> right` on plain data, and `|` on types."""
    for side in (left, right):
        if isinstance(side, Unknown):
            return side
    if kind is ast.BitOr and typing_forms.is_type(left) and typing_forms.is_type(right):
        return typing_forms.union([left, right])
    both_collect = isinstance(left, (list, tuple, set, frozenset, dict)) and isinstance(right, type(left))
    if not both_collect and not (is_plain(left) and is_plain(right)):
        return scope.unknown(f"{kind.__name__} of {_what(left)} and {_what(right)}", node)
    if (
        kind not in _BINARY
        or (kind is ast.Mult and _too_long(left, right))
        or (kind is ast.Mod and isinstance(left, (str, bytes)))
    ):
        return scope.unknown(f"{kind.__name__} is not computed", node)
    try:
        result = _BINARY[kind](left, right)
    except (TypeError, ValueError, ArithmeticError) as error:
        return scope.unknown(f"{type(error).__name__}: {error}", node)
    if isinstance(result, (str, bytes, list, tuple, set, dict)) and len(result) > natives.LARGEST:
        return scope.unknown(f"more than {natives.LARGEST} elements", node)
    return result


def _what(value: object) -> str:
    return value.name if isinstance(value, (External, Class)) else f"a {type(value).__name__}"


def _too_long(left: Any, right: Any) -> bool:
    for times, other in ((left, right), (right, left)):
        if isinstance(times, int) and isinstance(other, (str, bytes, list, tuple)):
            return times * len(other) > natives.LARGEST
        if isinstance(times, int) and times.bit_length() > 256:
            return True
    return False


def same(left: Any, right: Any) -> bool | Unknown:
    """`left is right`: for constants and names outside the wheel their equality, else identity.

    A name outside the wheel that is not known may stand for anything, also for another name.
    """
    for side in (left, right):
        if isinstance(side, Unknown):
            return side
    outside = [side for side in (left, right) if isinstance(side, External)]
    if outside:
        unsure = next((side for side in outside if not builtin_names.is_known(side.name)), None)
        if left == right or unsure is None:
            return bool(left == right)
        return Unknown(f"{unsure.name} is outside the wheel")
    if isinstance(left, PLAIN) or isinstance(right, PLAIN):
        return type(left) is type(right) and bool(left == right)
    return left is right or (isinstance(left, Generic) and bool(left == right))


def equal(left: Any, right: Any) -> bool | Unknown:
    """`left == right`."""
    if isinstance(left, PLAIN) and isinstance(right, PLAIN):
        return bool(left == right)
    if isinstance(left, (Unknown, External)) or isinstance(right, (Unknown, External)):
        return same(left, right)
    unsure = _unsure_in([left, right])
    return unsure if unsure is not None else bool(left == right)


def _unsure_in(value: object) -> Unknown | None:
    """The first part of a value that may be equal to anything."""
    if isinstance(value, External) and not builtin_names.is_known(value.name):
        return Unknown(f"{value.name} is outside the wheel")
    if isinstance(value, (list, tuple, set, frozenset)):
        return next((found for item in value if (found := _unsure_in(item)) is not None), None)
    if isinstance(value, dict):
        return _unsure_in([*value.keys(), *value.values()])
    return unknown_in(value)


def compare(kind: ast.cmpop, left: Any, right: Any, scope: Scope, node: ast.AST) -> bool | Unknown:
    """One comparison: `left <operator> right`."""
    if isinstance(kind, (ast.Is, ast.IsNot)):
        identical = same(left, right)
        return identical if isinstance(identical, Unknown) else identical is isinstance(kind, ast.Is)
    if isinstance(kind, (ast.In, ast.NotIn)):
        return _contains(left, right, isinstance(kind, ast.In), scope, node)
    if isinstance(kind, (ast.Eq, ast.NotEq)):
        verdict = equal(left, right)
        return verdict if isinstance(verdict, Unknown) else verdict is isinstance(kind, ast.Eq)
    unknown = unknown_in([left, right])
    if unknown is not None:
        return unknown
    try:
        match kind:
            case ast.Lt():
                return bool(left < right)
            case ast.LtE():
                return bool(left <= right)
            case ast.Gt():
                return bool(left > right)
            case _:
                return bool(left >= right)
    except TypeError as error:
        return scope.unknown(str(error), node)


def _contains(item: Any, container: Any, wanted: bool, scope: Scope, node: ast.AST) -> bool | Unknown:
    if isinstance(container, str) and isinstance(item, str):
        return (item in container) is wanted
    if isinstance(item, PLAIN) and isinstance(container, (list, tuple, set, frozenset, dict)):
        # Plain data among plain data is looked up as Python does it; only the rest is compared one by one.
        if item in container:
            return wanted
        container = [element for element in container if not isinstance(element, PLAIN)]
    items = iterate(container, scope, node)
    if isinstance(items, Unknown):
        return items
    unsure: Unknown | None = None
    for element in items:
        verdict = equal(element, item)
        if verdict is True:
            return wanted
        if isinstance(verdict, Unknown):
            unsure = unsure or verdict
    return unsure if unsure is not None else not wanted
