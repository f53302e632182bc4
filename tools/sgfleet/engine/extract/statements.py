"""Statements."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract import builtin_names, classes, natives, records
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.extract.expressions import binary, function_of, iterate, truth
from sgfleet.engine.extract.names import alias_name, touched_by
from sgfleet.engine.extract.program import Scope, absolute
from sgfleet.engine.extract.values import (
    Annotation,
    Class,
    External,
    Function,
    Instance,
    Lazy,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.engine.extract.interpreter import Interpreter


class Leave(Exception):  # noqa: N818  # a jump, not an error
    """A jump out of a block: return, break, continue, or raise (with the exception's name as the value)."""

    def __init__(self, kind: str, value: Any = None, place: Unknown | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.value = value
        self.place = place


def run(body: Sequence[ast.stmt], scope: Scope, interpreter: Interpreter) -> None:
    """Run statements. A jump is a `Leave`."""
    for statement in body:
        runner = _RUNNERS.get(type(statement))
        if runner is None:
            _not_read(statement, scope, interpreter)
        else:
            runner(statement, scope, interpreter)


def _not_read(statement: ast.stmt, scope: Scope, interpreter: Interpreter) -> None:
    unknown = scope.unknown(f"{type(statement).__name__} statements are not read", statement)
    if scope.kind == "function":
        # It may jump, or declare flags: nothing after it is certain.
        interpreter.may_have_left(unknown)
    for name in touched_by([statement]):
        natives.poison(scope.names.get(name), unknown)
        scope.names[name] = unknown


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
        set_attribute(receiver, target.attr, value if doubt is None else doubt, interpreter)
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


def set_attribute(receiver: Any, name: str, value: Any, interpreter: Interpreter) -> None:
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


def _assignment(node: ast.Assign, scope: Scope, interpreter: Interpreter) -> None:
    value = interpreter.evaluate(node.value, scope)
    for target in node.targets:
        assign(target, value, scope, interpreter)


def _annotated(node: ast.AnnAssign, scope: Scope, interpreter: Interpreter) -> None:
    if node.value is not None:
        assign(node.target, interpreter.evaluate(node.value, scope), scope, interpreter)
    if scope.kind == "class" and isinstance(node.target, ast.Name) and scope.owner is not None:
        # The last annotation counts, at the place of the first: as in a class's own dict.
        scope.owner.annotations[node.target.id] = Annotation(node.annotation, scope)


def _augmented(node: ast.AugAssign, scope: Scope, interpreter: Interpreter) -> None:
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


def _expression(node: ast.Expr, scope: Scope, interpreter: Interpreter) -> None:
    if not isinstance(node.value, ast.Constant):
        interpreter.evaluate(node.value, scope)


def _if(node: ast.If, scope: Scope, interpreter: Interpreter) -> None:
    holds = truth(interpreter.evaluate(node.test, scope))
    if not isinstance(holds, Unknown):
        run(node.body if holds else node.orelse, scope, interpreter)
        return
    holds = holds if holds.module else scope.unknown(holds.reason, node)
    for branch in (node.body, node.orelse):
        _perhaps(branch, holds, scope, interpreter)


def _perhaps(body: Sequence[ast.stmt], unknown: Unknown, scope: Scope, interpreter: Interpreter) -> None:
    """Run statements that may or may not be run: what they write becomes unknown, what they declare opaque."""
    try:
        with interpreter.in_doubt(unknown):
            run(body, scope, interpreter)
    except Leave as leave:
        # A branch that raises is taken as not taken: the server would not start.
        if leave.kind != "raise" and scope.kind == "function":
            interpreter.may_have_left(unknown)


def _for(node: ast.For, scope: Scope, interpreter: Interpreter) -> None:
    items = iterate(interpreter.evaluate(node.iter, scope), scope, node.iter)
    if isinstance(items, Unknown):
        assign(node.target, items, scope, interpreter)
        _perhaps(node.body, items, scope, interpreter)
        return
    doubts = len(interpreter.doubts)
    in_doubt = False
    for item in items:
        assign(node.target, item, scope, interpreter)
        try:
            run(node.body, scope, interpreter)
        except Leave as leave:
            if leave.kind == "break":
                break
            if leave.kind != "continue":
                raise
        finally:
            in_doubt = in_doubt or len(interpreter.doubts) > doubts
            left = interpreter.doubts[doubts:]
            del interpreter.doubts[doubts:]
        if in_doubt and left:
            for name in touched_by(node.body):
                if name in scope.names:
                    scope.names[name] = left[0].unknown
    else:
        run(node.orelse, scope, interpreter)


def _while(node: ast.While, scope: Scope, interpreter: Interpreter) -> None:
    while True:
        holds = truth(interpreter.evaluate(node.test, scope))
        if isinstance(holds, Unknown):
            _perhaps(node.body, holds, scope, interpreter)
            return
        if not holds:
            return
        try:
            run(node.body, scope, interpreter)
        except Leave as leave:
            if leave.kind == "break":
                return
            if leave.kind != "continue":
                raise


def _return(node: ast.Return, scope: Scope, interpreter: Interpreter) -> None:
    raise Leave("return", None if node.value is None else interpreter.evaluate(node.value, scope))


def _raise(node: ast.Raise, scope: Scope, interpreter: Interpreter) -> None:
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    value = None if raised is None else interpreter.evaluate(raised, scope)
    raise Leave("raise", value, scope.unknown("raises here", node))


def _try(node: ast.Try, scope: Scope, interpreter: Interpreter) -> None:
    try:
        run(node.body, scope, interpreter)
        run(node.orelse, scope, interpreter)
    except Leave as leave:
        handler = next((h for h in node.handlers if leave.kind == "raise" and _catches(h, leave, scope, interpreter)), None)
        if handler is None:
            raise
        run(handler.body, scope, interpreter)
    else:
        # An import or a call that fails on another machine would bind what the handlers bind.
        unsure = scope.unknown("depends on whether the block above fails", node)
        for handler in node.handlers:
            for name in touched_by(handler.body) & touched_by(node.body):
                scope.names[name] = unsure
    finally:
        run(node.finalbody, scope, interpreter)


def _catches(handler: ast.ExceptHandler, leave: Leave, scope: Scope, interpreter: Interpreter) -> bool:
    if handler.type is None:
        return True
    wanted = interpreter.evaluate(handler.type, scope)
    raised = leave.value
    for one in wanted if isinstance(wanted, tuple) else (wanted,):
        if isinstance(one, External) and isinstance(raised, External):
            outer, inner = builtin_names.exception(one.name), builtin_names.exception(raised.name)
            if one == raised or (outer is not None and inner is not None and issubclass(inner, outer)):
                return True
        if isinstance(one, Class) and one is raised:
            return True
    return False


def _with(node: ast.With, scope: Scope, interpreter: Interpreter) -> None:
    for item in node.items:
        interpreter.evaluate(item.context_expr, scope)
        if item.optional_vars is not None:
            unknown = scope.unknown("what a context manager gives", node)
            assign(item.optional_vars, unknown, scope, interpreter)
    run(node.body, scope, interpreter)


def _import(node: ast.Import, scope: Scope, interpreter: Interpreter) -> None:
    doubt = interpreter.name_doubt
    for alias in node.names:
        target = alias.name if alias.asname else alias.name.partition(".")[0]
        scope.names[alias_name(alias)] = Lazy(target) if doubt is None else doubt


def _import_from(node: ast.ImportFrom, scope: Scope, interpreter: Interpreter) -> None:
    module = absolute(node.module, node.level, scope.module.package)
    doubt = interpreter.name_doubt
    for alias in node.names:
        if alias.name == "*":
            continue  # Program.find follows these
        if module == "__future__":
            continue
        scope.names[alias_name(alias)] = _lazy(module, alias.name) if doubt is None else doubt


def _lazy(module: str, name: str) -> Lazy | External:
    head = builtin_names.canonical(f"{module}.{name}")
    return External(head) if head != f"{module}.{name}" else Lazy(module, name)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, interpreter: Interpreter) -> None:
    value: Any = function_of(node, scope, interpreter)
    if scope.kind == "class":
        value.owner = scope.owner
    for decorator_node in reversed(node.decorator_list):
        if isinstance(decorator_node, ast.Attribute) and decorator_node.attr in ("setter", "deleter"):
            return  # the property itself is bound already
        decorator = interpreter.evaluate(
            decorator_node.func if isinstance(decorator_node, ast.Call) else decorator_node, scope
        )
        value = _decorated(value, decorator, scope, decorator_node)
    doubt = interpreter.name_doubt
    scope.names[node.name] = value if doubt is None else doubt


def _decorated(value: Any, decorator: Any, scope: Scope, node: ast.expr) -> Any:
    if not isinstance(value, Function) or not isinstance(decorator, External):
        return scope.unknown("a decorator that is not followed", node)
    if decorator.name in ("staticmethod", "classmethod", "property", "functools.cached_property"):
        value.kind = decorator.name.replace("functools.cached_property", "property")
        return value
    if decorator.name in ("functools.cache", "functools.lru_cache", "abc.abstractmethod", "typing.override"):
        return value
    return scope.unknown(f"decorator {decorator.name} is not followed", node)


def _class(node: ast.ClassDef, scope: Scope, interpreter: Interpreter) -> None:
    bases = tuple(interpreter.evaluate(base, scope) for base in node.bases)
    unknown = next((base for base in bases if isinstance(base, Unknown)), None)
    cls = Class(node.name, scope.module, node.lineno, bases, {}, {}, unknown_base=unknown)
    cls.record = "struct" if records.inherits_struct(cls) else None
    body = Scope(scope.module, "class", cls.namespace, scope, owner=cls, line=node.lineno)
    try:
        run(node.body, body, interpreter)
    except Leave as leave:
        raise ExtractionError(f"class {node.name} raises in its body", scope.module.name, node.lineno) from leave
    if classes.is_enum(cls):
        classes.make_members(cls)
    value: Any = cls
    for decorator_node in reversed(node.decorator_list):
        decorator = interpreter.evaluate(
            decorator_node.func if isinstance(decorator_node, ast.Call) else decorator_node, scope
        )
        if decorator == External("dataclasses.dataclass"):
            cls.record = "dataclass"
        elif decorator not in (External("functools.total_ordering"), External("enum.unique")):
            value = scope.unknown(f"class {node.name} has a decorator that is not followed", node)
    _name_descriptors(cls, body, interpreter, node)
    doubt = interpreter.name_doubt
    scope.names[node.name] = value if doubt is None else doubt


def _name_descriptors(cls: Class, body: Scope, interpreter: Interpreter, node: ast.AST) -> None:
    """Call `__set_name__` of the class's attributes, as Python does when a class is made."""
    for name, value in list(cls.namespace.items()):
        if isinstance(value, Instance) and isinstance(value.cls, Class):
            owner = classes.in_classes(value.cls, "__set_name__")
            if isinstance(owner, Class):
                method = classes.bind(owner.namespace["__set_name__"], value, value.cls, body, interpreter, node)
                interpreter.call(method, [cls, name], {}, body, node)


def _delete(node: ast.Delete, scope: Scope, interpreter: Interpreter) -> None:
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


def _nothing(_node: ast.stmt, _scope: Scope, _interpreter: Interpreter) -> None:
    """Assertions, `pass`, `global`: nothing that a declaration is made of."""


def _jump(node: ast.stmt, _scope: Scope, _interpreter: Interpreter) -> None:
    raise Leave("break" if isinstance(node, ast.Break) else "continue")


_RUNNERS: dict[type[ast.stmt], Any] = {
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Try: _try,
    ast.With: _with,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Delete: _delete,
    ast.Pass: _nothing,
    ast.Assert: _nothing,
    ast.Global: _nothing,
    ast.Nonlocal: _nothing,
    ast.Break: _jump,
    ast.Continue: _jump,
}
