"""Assignments: names, attributes, elements."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract import natives
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.extract.notes import Notes
from sgfleet.engine.extract.operators import binary, iterate
from sgfleet.engine.extract.values import Annotation, Class, Instance, Unknown

if TYPE_CHECKING:
    from sgfleet.engine.extract.interpreter import Interpreter
    from sgfleet.engine.extract.program import Scope


def assign(target: ast.expr, value: Any, scope: Scope, interpreter: Interpreter) -> None:
    """Bind a value to a target."""
    if isinstance(target, ast.Name):
        doubt = interpreter.name_doubt
        scope.names[target.id] = value if doubt is None else doubt
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(target, value, scope, interpreter)
    elif isinstance(target, ast.Attribute):
        receiver = interpreter.evaluate(target.value, scope)
        doubt = interpreter.doubt
        if isinstance(receiver, Notes) and target.attr not in Notes.COSMETIC:
            raise ExtractionError(f"the parser's {target.attr} is set", scope.module.name, target.lineno)
        set_attribute(receiver, target.attr, value if doubt is None else doubt)
    elif isinstance(target, ast.Subscript):
        _set_item(target, value, scope, interpreter)


def _unpack(target: ast.Tuple | ast.List, value: Any, scope: Scope, interpreter: Interpreter) -> None:
    items = iterate(value, scope, target)
    parts = target.elts
    if not isinstance(items, Unknown):
        items = list(items)
        star = next((i for i, part in enumerate(parts) if isinstance(part, ast.Starred)), None)
        if star is not None and len(items) >= len(parts) - 1:
            behind = len(parts) - star - 1
            middle = items[star : len(items) - behind]
            items = [*items[:star], middle, *items[len(items) - behind :]]
        if len(items) != len(parts):
            items = scope.unknown(f"{len(items)} values for {len(parts)} names", target)
    for position, part in enumerate(parts):
        item = items if isinstance(items, Unknown) else list(items)[position]
        assign(part.value if isinstance(part, ast.Starred) else part, item, scope, interpreter)


def set_attribute(receiver: Any, name: str, value: Any) -> None:
    """`receiver.name = value`."""
    if isinstance(receiver, Class):
        if name == "__annotations__":
            known = isinstance(value, dict) and all(isinstance(key, str) for key in value)
            receiver.annotations = {key: Annotation(None, None, item) for key, item in value.items()} if known else {}
            receiver.unknown_base = None if known else _as_unknown(value)
        else:
            receiver.namespace[name] = value
    elif isinstance(receiver, Instance):
        receiver.attributes[name] = value


def _as_unknown(value: Any) -> Unknown:
    return value if isinstance(value, Unknown) else Unknown("the fields are given in a form that is not read")


def _set_item(target: ast.Subscript, value: Any, scope: Scope, interpreter: Interpreter) -> None:
    container = interpreter.evaluate(target.value, scope)
    key = interpreter.evaluate(target.slice, scope)
    doubt = interpreter.doubt
    if isinstance(container, dict) and not isinstance(key, Unknown):
        try:
            container[key] = value if doubt is None else doubt
        except TypeError as error:
            natives.poison(container, scope.unknown(str(error), target))
    elif isinstance(container, list) and isinstance(key, (int, slice)) and doubt is None:
        try:
            container[key] = value
        except (LookupError, TypeError, ValueError) as error:
            natives.poison(container, scope.unknown(str(error), target))
    else:
        natives.poison(container, doubt or scope.unknown("an element under an unknown key", target))


def assignment(node: ast.Assign, scope: Scope, interpreter: Interpreter) -> None:
    """`a = b = value`."""
    value = interpreter.evaluate(node.value, scope)
    for target in node.targets:
        assign(target, value, scope, interpreter)


def annotated(node: ast.AnnAssign, scope: Scope, interpreter: Interpreter) -> None:
    """`name: type = value`; in a class, a field."""
    if node.value is not None:
        assign(node.target, interpreter.evaluate(node.value, scope), scope, interpreter)
    if scope.kind == "class" and isinstance(node.target, ast.Name) and scope.owner is not None:
        # The last annotation counts, at the place of the first: as in a class's own dict.
        scope.owner.annotations[node.target.id] = Annotation(node.annotation, scope)


def augmented(node: ast.AugAssign, scope: Scope, interpreter: Interpreter) -> None:
    """`name += value`."""
    load = ast.copy_location(_loading(node.target), node.target)
    left, right = interpreter.evaluate(load, scope), interpreter.evaluate(node.value, scope)
    doubt = interpreter.doubt
    if isinstance(left, (list, set)) and doubt is None and isinstance(node.op, (ast.Add, ast.BitOr)):
        items = iterate(right, scope, node)
        if isinstance(items, Unknown):
            natives.poison(left, items)
        elif isinstance(left, list):
            left.extend(items)
        else:
            left.update(items)
        return
    if doubt is not None:
        natives.poison(left, doubt)
    assign(node.target, binary(type(node.op), left, right, scope, node), scope, interpreter)


def _loading(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.Name(id=name, ctx=ast.Load())
        case ast.Attribute(value=value, attr=attr):
            return ast.Attribute(value=value, attr=attr, ctx=ast.Load())
        case ast.Subscript(value=value, slice=part):
            return ast.Subscript(value=value, slice=part, ctx=ast.Load())
    return target


def delete(node: ast.Delete, scope: Scope, interpreter: Interpreter) -> None:
    """`del name`, `del container[key]`."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            doubt = interpreter.name_doubt
            scope.names[target.id] = doubt or scope.unknown(f"{target.id!r} is deleted here", node)
        elif isinstance(target, ast.Subscript):
            container, key = interpreter.evaluate(target.value, scope), interpreter.evaluate(target.slice, scope)
            if isinstance(container, dict) and interpreter.doubt is None and not isinstance(key, Unknown):
                container.pop(key, None)
            else:
                natives.poison(container, interpreter.doubt or scope.unknown("an element is deleted", node))
