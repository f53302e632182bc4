"""Imports, functions and classes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract import classes, records
from sgfleet.engine.extract.errors import ExtractionError, Leave
from sgfleet.engine.extract.names import alias_name
from sgfleet.engine.extract.program import Scope, absolute
from sgfleet.engine.extract.values import Class, External, Function, Instance, Lazy, Unknown

if TYPE_CHECKING:
    from sgfleet.engine.extract.interpreter import Interpreter


def import_(node: ast.Import, scope: Scope, interpreter: Interpreter) -> None:
    """`import module`: bound without looking at it."""
    doubt = interpreter.name_doubt
    for alias in node.names:
        target = alias.name if alias.asname else alias.name.partition(".")[0]
        scope.names[alias_name(alias)] = Lazy(target) if doubt is None else doubt


def import_from(node: ast.ImportFrom, scope: Scope, interpreter: Interpreter) -> None:
    """`from module import name`: bound without looking at it."""
    module = absolute(node.module, node.level, scope.module.package)
    doubt = interpreter.name_doubt
    for alias in node.names:
        if alias.name == "*":
            continue  # Program.find follows these
        if module == "__future__":
            continue
        scope.names[alias_name(alias)] = Lazy(module, alias.name) if doubt is None else doubt


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


def function(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, interpreter: Interpreter) -> None:
    """`def`, with the decorators that are known."""
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


def class_(node: ast.ClassDef, scope: Scope, interpreter: Interpreter) -> None:
    """`class`: its body is run, its annotations are kept as they are written."""
    bases = tuple(interpreter.evaluate(base, scope) for base in node.bases)
    unknown = next((base for base in bases if isinstance(base, Unknown)), None)
    cls = Class(node.name, scope.module, node.lineno, bases, {}, {}, unknown_base=unknown)
    cls.record = "struct" if records.inherits_struct(cls) else None
    body = Scope(scope.module, "class", cls.namespace, scope, owner=cls, line=node.lineno)
    try:
        interpreter.run(node.body, body)
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
