"""Expressions -> values."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import classes, comprehensions, typing_forms
from sgfleet.engine.extract.assignments import assign
from sgfleet.engine.extract.definitions import function_of
from sgfleet.engine.extract.lookups import attribute_of, lookup
from sgfleet.engine.extract.operators import binary, compare, iterate, truth
from sgfleet.engine.extract.program import Scope
from sgfleet.engine.extract.values import Class, External, Generic, Unknown, is_plain, unknown_in

if TYPE_CHECKING:
    from sgfleet.engine.extract.interpreter import Interpreter

_LONGEST_SPEC: Final = 5
"""A format specification beyond this may ask for a text of any length."""

Evaluator = Callable[[Any, Scope, "Interpreter"], Any]


def evaluate(node: ast.expr, scope: Scope, interpreter: Interpreter) -> Any:
    """The value of an expression; `Unknown` where it has none that can be read."""
    evaluator = _EVALUATORS.get(type(node))
    if evaluator is None:
        return scope.unknown(f"{type(node).__name__} expressions are not read", node)
    return evaluator(node, scope, interpreter)


def _name(node: ast.Name, scope: Scope, interpreter: Interpreter) -> Any:
    return lookup(node.id, scope, interpreter, node)


def _attribute(node: ast.Attribute, scope: Scope, interpreter: Interpreter) -> Any:
    value = interpreter.evaluate(node.value, scope)
    return attribute_of(value, node.attr, scope, interpreter, node)


def _subscript(node: ast.Subscript, scope: Scope, interpreter: Interpreter) -> Any:
    value = interpreter.evaluate(node.value, scope)
    if isinstance(value, (External, Generic)):
        return typing_forms.subscript(value, node, scope, interpreter)
    key = interpreter.evaluate(node.slice, scope)
    if isinstance(value, Class):
        member = next((member for member in classes.members(value) or () if member.name == key), None)
        return member if member is not None else scope.unknown(f"{value.name} cannot be subscripted", node)
    for unknown in (unknown_in(key), value if isinstance(value, Unknown) else None):
        if unknown is not None:
            return unknown
    if not isinstance(value, (list, tuple, str, dict, range)):
        return scope.unknown(f"a {type(value).__name__} cannot be subscripted", node)
    try:
        return value[key]
    except (LookupError, TypeError) as error:
        # An unknown that was put under an unknown key could be the very one.
        return unknown_in(value) or scope.unknown(f"{type(error).__name__}: {error}", node)


def _slice(node: ast.Slice, scope: Scope, interpreter: Interpreter) -> Any:
    parts = [
        None if part is None else interpreter.evaluate(part, scope) for part in (node.lower, node.upper, node.step)
    ]
    unknown = unknown_in(parts)
    return unknown if unknown is not None else slice(*parts)


def _elements(nodes: list[ast.expr], scope: Scope, interpreter: Interpreter) -> list[Any] | Unknown:
    values: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            items = iterate(interpreter.evaluate(node.value, scope), scope, node)
            if isinstance(items, Unknown):
                return items
            values.extend(items)
        else:
            values.append(interpreter.evaluate(node, scope))
    return values


def _list(node: ast.List, scope: Scope, interpreter: Interpreter) -> Any:
    return _elements(node.elts, scope, interpreter)


def _tuple(node: ast.Tuple, scope: Scope, interpreter: Interpreter) -> Any:
    values = _elements(node.elts, scope, interpreter)
    return values if isinstance(values, Unknown) else tuple(values)


def _set(node: ast.Set, scope: Scope, interpreter: Interpreter) -> Any:
    values = _elements(node.elts, scope, interpreter)
    if isinstance(values, Unknown):
        return values
    try:
        return set(values)
    except TypeError as error:
        return scope.unknown(str(error), node)


def _dict(node: ast.Dict, scope: Scope, interpreter: Interpreter) -> Any:
    result: dict[Any, Any] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = interpreter.evaluate(value_node, scope)
        if key_node is None:
            if not isinstance(value, dict):
                return value if isinstance(value, Unknown) else scope.unknown("`**` of what is no dict", node)
            result.update(value)
            continue
        key = interpreter.evaluate(key_node, scope)
        unknown = unknown_in(key)
        if unknown is not None:
            return unknown
        try:
            result[key] = value
        except TypeError as error:
            return scope.unknown(str(error), node)
    return result


def _bin_op(node: ast.BinOp, scope: Scope, interpreter: Interpreter) -> Any:
    left, right = interpreter.evaluate(node.left, scope), interpreter.evaluate(node.right, scope)
    return binary(type(node.op), left, right, scope, node)


def _unary_op(node: ast.UnaryOp, scope: Scope, interpreter: Interpreter) -> Any:
    value = interpreter.evaluate(node.operand, scope)
    if isinstance(node.op, ast.Not):
        holds = truth(value)
        return holds if isinstance(holds, Unknown) else not holds
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (int, float)) and not isinstance(node.op, ast.Invert):
        return -value if isinstance(node.op, ast.USub) else +value
    return scope.unknown(f"{type(node.op).__name__} of a {type(value).__name__}", node)


def _bool_op(node: ast.BoolOp, scope: Scope, interpreter: Interpreter) -> Any:
    value: Any = None
    for position, part in enumerate(node.values):
        value = interpreter.evaluate(part, scope)
        holds = truth(value)
        if isinstance(holds, Unknown):
            _perhaps(node.values[position + 1 :], holds, scope, interpreter)
            return holds
        if holds is isinstance(node.op, ast.Or):
            return value
    return value


def _comparison(node: ast.Compare, scope: Scope, interpreter: Interpreter) -> Any:
    left = interpreter.evaluate(node.left, scope)
    result: bool | Unknown = True
    for kind, right_node in zip(node.ops, node.comparators, strict=True):
        right = interpreter.evaluate(right_node, scope)
        result = compare(kind, left, right, scope, node)
        if result is not True:
            return result
        left = right
    return result


def _if_exp(node: ast.IfExp, scope: Scope, interpreter: Interpreter) -> Any:
    holds = truth(interpreter.evaluate(node.test, scope))
    if isinstance(holds, Unknown):
        _perhaps([node.body, node.orelse], holds, scope, interpreter)
        return holds
    return interpreter.evaluate(node.body if holds else node.orelse, scope)


def _perhaps(nodes: list[ast.expr], unknown: Unknown, scope: Scope, interpreter: Interpreter) -> None:
    """Evaluate what may or may not be evaluated, for what it may declare."""
    with interpreter.in_doubt(unknown):
        for node in nodes:
            interpreter.evaluate(node, scope)


def _joined_str(node: ast.JoinedStr, scope: Scope, interpreter: Interpreter) -> Any:
    parts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        value = interpreter.evaluate(part, scope)
        if isinstance(value, Unknown):
            return value
        parts.append(value)
    return "".join(parts)


def _formatted_value(node: ast.FormattedValue, scope: Scope, interpreter: Interpreter) -> Any:
    value = interpreter.evaluate(node.value, scope)
    spec = "" if node.format_spec is None else interpreter.evaluate(node.format_spec, scope)
    unknown = unknown_in([value, spec])
    if unknown is not None:
        return unknown
    if not is_plain(value) or len(spec) > _LONGEST_SPEC:
        return scope.unknown(f"the text of a {type(value).__name__}", node)
    try:
        if node.conversion == -1:
            return format(value, spec)
        return format(str(value) if node.conversion == ord("s") else repr(value), spec)
    except (TypeError, ValueError) as error:
        return scope.unknown(str(error), node)


def _call(node: ast.Call, scope: Scope, interpreter: Interpreter) -> Any:
    callee = interpreter.evaluate(node.func, scope)
    args = _elements(node.args, scope, interpreter)
    if isinstance(args, Unknown):
        args = [args]  # how many there are is unknown, and so will be what they are used for
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = interpreter.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
            keywords.update(value)
        else:
            keywords["**"] = value if isinstance(value, Unknown) else scope.unknown("`**` of what is no dict", node)
    return interpreter.call(callee, args, keywords, scope, node)


def _named_expr(node: ast.NamedExpr, scope: Scope, interpreter: Interpreter) -> Any:
    value = interpreter.evaluate(node.value, scope)
    assign(node.target, value, scope, interpreter)
    return value


_EVALUATORS: Final[dict[type[ast.expr], Evaluator]] = {
    ast.Constant: lambda node, _scope, _interpreter: node.value,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.BinOp: _bin_op,
    ast.UnaryOp: _unary_op,
    ast.BoolOp: _bool_op,
    ast.Compare: _comparison,
    ast.IfExp: _if_exp,
    ast.ListComp: comprehensions.list_comp,
    ast.SetComp: comprehensions.set_comp,
    ast.GeneratorExp: comprehensions.generator,
    ast.DictComp: comprehensions.dict_comp,
    ast.JoinedStr: _joined_str,
    ast.FormattedValue: _formatted_value,
    ast.Call: _call,
    ast.Lambda: function_of,
    ast.NamedExpr: _named_expr,
}
