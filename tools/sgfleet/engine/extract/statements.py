"""Statements."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract import assignments, builtin_names, definitions, natives
from sgfleet.engine.extract.assignments import assign
from sgfleet.engine.extract.errors import Leave
from sgfleet.engine.extract.names import bound_by, touched_by
from sgfleet.engine.extract.operators import iterate, truth
from sgfleet.engine.extract.values import Class, External, Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.engine.extract.interpreter import Interpreter
    from sgfleet.engine.extract.program import Scope


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
        interpreter.may_have_left(unknown, "return")
    for name in touched_by([statement]):
        natives.poison(scope.names.get(name), unknown)
        scope.names[name] = unknown


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
            interpreter.may_have_left(unknown, leave.kind)


def _for(node: ast.For, scope: Scope, interpreter: Interpreter) -> None:
    items = iterate(interpreter.evaluate(node.iter, scope), scope, node.iter)
    if isinstance(items, Unknown):
        assign(node.target, items, scope, interpreter)
        _perhaps(node.body, items, scope, interpreter)
        return
    before = len(interpreter.doubts)
    unsure: Unknown | None = None
    for item in items:
        assign(node.target, item, scope, interpreter)
        try:
            run(node.body, scope, interpreter)
        except Leave as leave:
            if leave.kind == "break":
                break
            if leave.kind != "continue":
                raise  # with the doubts under which it left
        unsure = interpreter.settle(before, "round") or unsure
    else:
        run(node.orelse, scope, interpreter)
    unsure = interpreter.settle(before, "round", "loop") or unsure
    if unsure is not None:
        scope.names.update(dict.fromkeys(bound_by(node.body), unsure))


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
        handler = next(
            (h for h in node.handlers if leave.kind == "raise" and _catches(h, leave, scope, interpreter)), None
        )
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


def _nothing(_node: ast.stmt, _scope: Scope, _interpreter: Interpreter) -> None:
    """Assertions, `pass`, `global`: nothing that a declaration is made of."""


def _jump(node: ast.stmt, _scope: Scope, _interpreter: Interpreter) -> None:
    raise Leave("break" if isinstance(node, ast.Break) else "continue")


_RUNNERS: dict[type[ast.stmt], Any] = {
    ast.Assign: assignments.assignment,
    ast.AnnAssign: assignments.annotated,
    ast.AugAssign: assignments.augmented,
    ast.Expr: _expression,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Try: _try,
    ast.With: _with,
    ast.Import: definitions.import_,
    ast.ImportFrom: definitions.import_from,
    ast.FunctionDef: definitions.function,
    ast.AsyncFunctionDef: definitions.function,
    ast.ClassDef: definitions.class_,
    ast.Delete: assignments.delete,
    ast.Pass: _nothing,
    ast.Assert: _nothing,
    ast.Global: _nothing,
    ast.Nonlocal: _nothing,
    ast.Break: _jump,
    ast.Continue: _jump,
}
