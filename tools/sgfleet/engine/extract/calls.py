"""Calls."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract import classes, library, natives, records
from sgfleet.engine.extract.errors import ExtractionError, Leave
from sgfleet.engine.extract.notes import Notes
from sgfleet.engine.extract.program import Scope
from sgfleet.engine.extract.values import (
    Bound,
    Class,
    EnumMember,
    External,
    Function,
    Instance,
    Native,
    Unknown,
)

if TYPE_CHECKING:
    from sgfleet.engine.extract.interpreter import Interpreter


@dataclass(frozen=True, slots=True)
class Call:
    """One call: what is called, with what, where."""

    callee: Any
    args: list[Any]
    keywords: dict[str, Any]
    scope: Scope
    node: ast.AST
    interpreter: Interpreter

    def unknown(self, reason: str) -> Unknown:
        """An unknown that arises in this call."""
        return self.scope.unknown(reason, self.node)

    def again(self, callee: Any, args: list[Any], keywords: dict[str, Any] | None = None) -> Any:
        """Call something else from the same place."""
        return self.interpreter.call(callee, args, keywords or {}, self.scope, self.node)

    @property
    def line(self) -> int:
        """The line of the call."""
        return getattr(self.node, "lineno", self.scope.line)


def call(one: Call) -> Any:
    """The result of a call. What this package cannot follow is unknown, and so is what it may have changed."""
    callee = one.callee
    if isinstance(callee, Bound):
        return _run(callee.function, one, [callee.receiver, *one.args])
    if isinstance(callee, Function):
        return _run(callee, one, one.args)
    if isinstance(callee, Class):
        return instantiate(callee, one)
    if isinstance(callee, Native):
        return _native(callee, one)
    if isinstance(callee, External):
        function = library.FUNCTIONS.get(callee.name)
        if function is not None:
            try:
                return function(one)
            except (LookupError, TypeError, ValueError) as error:  # called as Python would not let it be called
                return _unfollowed(one.unknown(f"{callee.name}: {type(error).__name__}: {error}"), one)
        return _unfollowed(one.unknown(f"calls {callee.name}, which is outside the wheel"), one)
    if isinstance(callee, Instance) and isinstance(callee.cls, Class):
        owner = classes.in_classes(callee.cls, "__call__")
        if isinstance(owner, Class) and isinstance(owner.namespace["__call__"], Function):
            return _run(owner.namespace["__call__"], one, [callee, *one.args])
    if isinstance(callee, Unknown):
        _refuse_lost_flag(callee, one)
        return _unfollowed(callee, one)
    return _unfollowed(one.unknown(f"a {type(callee).__name__} cannot be called"), one)


def _unfollowed(unknown: Unknown, one: Call) -> Unknown:
    for argument in [*one.args, *one.keywords.values()]:
        if isinstance(argument, Notes) or (isinstance(argument, Native) and isinstance(argument.receiver, Notes)):
            raise ExtractionError(
                f"the parser is handed to something that cannot be followed: {unknown}", one.scope.module.name, one.line
            )
        natives.poison(argument, unknown)
    return unknown


def _refuse_lost_flag(callee: Unknown, one: Call) -> None:
    """A flag must not be lost because it is declared on something that cannot be followed."""
    if (
        isinstance(one.node, ast.Call)
        and isinstance(one.node.func, ast.Attribute)
        and one.node.func.attr == "add_argument"
    ):
        raise ExtractionError(f"a flag is declared on what is not known: {callee}", one.scope.module.name, one.line)


def _native(method: Native, one: Call) -> Any:
    if isinstance(method.receiver, Notes):
        return method.receiver.do(method.name, one)
    if isinstance(method.receiver, Instance):
        return records.base_method(method, one)
    doubt = one.interpreter.doubt
    if doubt is not None and natives.changes(method):
        natives.poison(method.receiver, doubt)
        return doubt
    result = natives.apply(method, one.args, one.keywords)
    if isinstance(result, Unknown) and not result.module:
        return one.unknown(result.reason)
    return result


def _run(function: Function, one: Call, args: list[Any]) -> Any:
    interpreter = one.interpreter
    scope = Scope(function.module, "function", {}, function.scope, function.owner, line=one.line)
    wrong = bind(function, args, one.keywords, scope, one)
    if wrong is not None:
        return _unfollowed(wrong, one)
    if args and function.owner is not None:
        scope.receiver = args[0]
    if isinstance(function.node, ast.Lambda):
        return interpreter.evaluate(function.node.body, scope)
    if function.yields is None:
        function.yields = isinstance(function.node, ast.AsyncFunctionDef) or _yields(function.node)
    if function.yields:
        return _unfollowed(one.unknown(f"{function.name} is a generator or a coroutine"), one)
    doubts = len(interpreter.doubts)
    result: Any = None
    try:
        interpreter.run(function.node.body, scope)
    except Leave as leave:
        if leave.kind != "return":
            raise
        result = leave.value
    finally:
        left_early = interpreter.doubts[doubts:]
        del interpreter.doubts[doubts:]
    return left_early[0].unknown if left_early else result


def _yields(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    pending: list[ast.AST] = list(node.body)
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(part))
    return False


def bind(function: Function, args: list[Any], keywords: dict[str, Any], scope: Scope, one: Call) -> Unknown | None:
    """Bind a call's arguments to a function's parameters in `scope`; what does not fit is returned as an unknown."""
    spec = function.node.args
    positional = [argument.arg for argument in (*spec.posonlyargs, *spec.args)]
    spread = keywords.get("**")
    if isinstance(spread, Unknown):
        return spread
    names, left = scope.names, dict(keywords)
    names.update(zip(positional, args, strict=False))
    if len(args) > len(positional):
        if spec.vararg is None:
            return one.unknown(f"{function.name} takes {len(positional)} arguments, not {len(args)}")
        names[spec.vararg.arg] = tuple(args[len(positional) :])
    elif spec.vararg is not None:
        names[spec.vararg.arg] = ()
    defaults = dict(zip(positional[len(positional) - len(function.defaults) :], function.defaults, strict=True))
    defaults.update(function.keyword_defaults)
    for name in (*positional[len(args) :], *(argument.arg for argument in spec.kwonlyargs)):
        if name in left:
            names[name] = left.pop(name)
        elif name in defaults:
            names[name] = defaults[name]
        else:
            return one.unknown(f"{function.name} is called without {name!r}")
    if spec.kwarg is not None:
        names[spec.kwarg.arg] = left
    elif left:
        return one.unknown(f"{function.name} takes no {', '.join(map(repr, left))}")
    return None


def instantiate(cls: Class, one: Call) -> Any:
    """An object of a class of the wheel."""
    found = classes.members(cls)
    if found is not None:
        wanted: Any = one.args[0] if len(one.args) == 1 else None
        member: EnumMember | None = next((item for item in found if item.value == wanted), None)
        return member if member is not None else one.unknown(f"{cls.name} has no such value")
    instance = Instance(cls)
    owner = classes.in_classes(cls, "__init__")
    if isinstance(owner, Class) and isinstance(owner.namespace["__init__"], Function):
        result = one.again(Bound(owner.namespace["__init__"], instance), one.args, one.keywords)
        return result if isinstance(result, Unknown) else instance
    if isinstance(owner, Unknown):
        return _unfollowed(owner, one)
    if records.is_record(cls):
        return records.construct(cls, instance, one)
    if isinstance(owner, External):
        method = Native(instance, f"{owner.name}.__init__")
        result = one.again(method, one.args, one.keywords)
        return result if isinstance(result, Unknown) else instance
    if one.args or one.keywords:
        return one.unknown(f"{cls.name} takes no arguments")
    return instance
