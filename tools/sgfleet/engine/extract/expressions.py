"""Expressions -> values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import builtin_names, classes, natives, typing_forms
from sgfleet.engine.extract.program import ABSENT, Module, Scope
from sgfleet.engine.extract.values import (
    PLAIN,
    Bound,
    Class,
    EnumMember,
    External,
    Function,
    Generic,
    Instance,
    Lazy,
    Native,
    Unknown,
    in_order,
    is_plain,
    unknown_in,
)

if TYPE_CHECKING:
    from sgfleet.engine.extract.interpreter import Interpreter

_LARGEST_REPETITION: Final = 10_000

Evaluator = Callable[[Any, Scope, "Interpreter"], Any]


def evaluate(node: ast.expr, scope: Scope, interpreter: Interpreter) -> Any:
    """The value of an expression; `Unknown` where it has none that can be read."""
    evaluator = _EVALUATORS.get(type(node))
    if evaluator is None:
        return scope.unknown(f"{type(node).__name__} expressions are not read", node)
    return evaluator(node, scope, interpreter)


def truth(value: object) -> bool | Unknown:
    """Whether a condition holds."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (list, tuple, set, frozenset, dict)) or isinstance(value, PLAIN):
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
    if isinstance(value, (list, tuple, str, dict, range)):
        return list(value)
    if isinstance(value, Class):
        members = classes.members(value)
        if members is not None:
            return list(members)
    if isinstance(value, Iterator):
        return value
    return scope.unknown(f"cannot go through a {type(value).__name__}", node)


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
        full = builtin_names.canonical(f"{value.name}.{name}")
        constant = builtin_names.CONSTANTS.get(full, ABSENT)
        return External(full) if constant is ABSENT else constant
    if natives.has(value, name):
        return Native(value, name)
    found = classes.attribute(value, name, scope, interpreter, node)
    return found if found is not ABSENT else scope.unknown(f"no attribute {name!r} can be read here", node)


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
        return value[key]  # type: ignore[index]  # a wrong key is what the except clause is for
    except (LookupError, TypeError) as error:
        # An unknown that was put under an unknown key could be the very one.
        return unknown_in(value) or scope.unknown(f"{type(error).__name__}: {error}", node)


def _slice(node: ast.Slice, scope: Scope, interpreter: Interpreter) -> Any:
    parts = [None if part is None else interpreter.evaluate(part, scope) for part in (node.lower, node.upper, node.step)]
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
        return scope.unknown(f"{kind.__name__} of a {type(left).__name__} and a {type(right).__name__}", node)
    if kind not in _BINARY or (kind is ast.Mult and _too_long(left, right)):
        return scope.unknown(f"{kind.__name__} is not computed", node)
    try:
        return _BINARY[kind](left, right)
    except (TypeError, ValueError, ArithmeticError) as error:
        return scope.unknown(f"{type(error).__name__}: {error}", node)


def _too_long(left: Any, right: Any) -> bool:
    for times, other in ((left, right), (right, left)):
        if isinstance(times, int) and isinstance(other, (str, bytes, list, tuple)):
            return times * len(other) > _LARGEST_REPETITION
        if isinstance(times, int) and times.bit_length() > 256:
            return True
    return False


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
    for part in node.values:
        value = interpreter.evaluate(part, scope)
        holds = truth(value)
        if isinstance(holds, Unknown):
            return holds
        if holds is isinstance(node.op, ast.Or):
            return value
    return value


def same(left: Any, right: Any) -> bool | Unknown:
    """`left is right`: for constants and names outside the wheel their equality, else identity."""
    for side in (left, right):
        if isinstance(side, Unknown):
            return side
    for one, other in ((left, right), (right, left)):
        if isinstance(one, External):
            if isinstance(other, External):
                return one == other
            if not builtin_names.is_known(one.name):
                return Unknown(f"{one.name} is outside the wheel")
            return False
    if isinstance(left, PLAIN) or isinstance(right, PLAIN):
        return type(left) is type(right) and bool(left == right)
    return left is right or (isinstance(left, Generic) and bool(left == right))


def _compare(kind: ast.cmpop, left: Any, right: Any, scope: Scope, node: ast.AST) -> bool | Unknown:
    if isinstance(kind, (ast.Is, ast.IsNot)):
        identical = same(left, right)
        return identical if isinstance(identical, Unknown) else identical is isinstance(kind, ast.Is)
    if isinstance(kind, (ast.In, ast.NotIn)):
        return _contains(left, right, isinstance(kind, ast.In), scope, node)
    unknown = unknown_in([left, right])
    if unknown is not None:
        return unknown
    if isinstance(kind, (ast.Eq, ast.NotEq)):
        if isinstance(left, External) != isinstance(right, External):
            equal = same(left, right)
            return equal if isinstance(equal, Unknown) else equal is isinstance(kind, ast.Eq)
        return bool(left == right) is isinstance(kind, ast.Eq)
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
    if isinstance(item, Unknown):
        return item
    if isinstance(container, str) and isinstance(item, str):
        return (item in container) is wanted
    items = iterate(container, scope, node)
    if isinstance(items, Unknown):
        return items
    found = False
    for element in items:
        if unknown_in(element) is None and (element is item or element == item):
            found = True
            break
    else:
        unknown = unknown_in(container)
        if unknown is not None:
            return unknown
    return found is wanted


def _comparison(node: ast.Compare, scope: Scope, interpreter: Interpreter) -> Any:
    left = interpreter.evaluate(node.left, scope)
    result: bool | Unknown = True
    for kind, right_node in zip(node.ops, node.comparators, strict=True):
        right = interpreter.evaluate(right_node, scope)
        result = _compare(kind, left, right, scope, node)
        if result is not True:
            return result
        left = right
    return result


def _if_exp(node: ast.IfExp, scope: Scope, interpreter: Interpreter) -> Any:
    holds = truth(interpreter.evaluate(node.test, scope))
    if isinstance(holds, Unknown):
        return holds
    return interpreter.evaluate(node.body if holds else node.orelse, scope)


def _rounds(generators: list[ast.comprehension], scope: Scope, interpreter: Interpreter) -> Iterator[Unknown | None]:
    """One item for each round of a comprehension, with the loop's names bound; an `Unknown` ends it."""
    from sgfleet.engine.extract.statements import assign

    if not generators:
        yield None
        return
    head, *rest = generators
    items = iterate(interpreter.evaluate(head.iter, scope), scope, head.iter)
    if isinstance(items, Unknown):
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
            return unknown
        values.append(interpreter.evaluate(element, inner))
    return values


def _list_comp(node: ast.ListComp, scope: Scope, interpreter: Interpreter) -> Any:
    return _comprehension(node.generators, node.elt, scope, interpreter)


def _set_comp(node: ast.SetComp, scope: Scope, interpreter: Interpreter) -> Any:
    values = _comprehension(node.generators, node.elt, scope, interpreter)
    return values if isinstance(values, Unknown) else set(values)


def _generator(node: ast.GeneratorExp, scope: Scope, interpreter: Interpreter) -> Any:
    values = _comprehension(node.generators, node.elt, scope, interpreter)
    return values if isinstance(values, Unknown) else iter(values)


def _dict_comp(node: ast.DictComp, scope: Scope, interpreter: Interpreter) -> Any:
    pair = ast.copy_location(ast.Tuple(elts=[node.key, node.value], ctx=ast.Load()), node.key)
    values = _comprehension(node.generators, pair, scope, interpreter)
    if isinstance(values, Unknown):
        return values
    unknown = unknown_in([key for key, _ in values])
    return dict(values) if unknown is None else unknown


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
    if not is_plain(value):
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


def function_of(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope, interpreter: Interpreter
) -> Function:
    """A function's value, with its defaults evaluated where it stands."""
    arguments = node.args
    return Function(
        name="<lambda>" if isinstance(node, ast.Lambda) else node.name,
        node=node,
        scope=scope,
        defaults=[interpreter.evaluate(default, scope) for default in arguments.defaults],
        keyword_defaults={
            argument.arg: interpreter.evaluate(default, scope)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        },
    )


def _named_expr(node: ast.NamedExpr, scope: Scope, interpreter: Interpreter) -> Any:
    from sgfleet.engine.extract.statements import assign

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
    ast.ListComp: _list_comp,
    ast.SetComp: _set_comp,
    ast.GeneratorExp: _generator,
    ast.DictComp: _dict_comp,
    ast.JoinedStr: _joined_str,
    ast.FormattedValue: _formatted_value,
    ast.Call: _call,
    ast.Lambda: function_of,
    ast.NamedExpr: _named_expr,
}

__all__ = ["Bound", "attribute_of", "binary", "evaluate", "function_of", "iterate", "lookup", "same", "truth"]
