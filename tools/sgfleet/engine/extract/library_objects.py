"""Builtins that look at types, objects and their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import builtin_names, classes
from sgfleet.engine.extract.assignments import set_attribute
from sgfleet.engine.extract.lookups import attribute_of
from sgfleet.engine.extract.program import ABSENT, Module
from sgfleet.engine.extract.values import Bound, Class, External, Function, Instance, Native, Super, Unknown, is_plain

if TYPE_CHECKING:
    from sgfleet.engine.extract.calls import Call


def type_(call: Call) -> Any:
    """`type(value)`."""
    value = call.args[0]
    if isinstance(value, (Unknown, Instance)):
        return value if isinstance(value, Unknown) else value.cls
    if isinstance(value, Class):
        return External("type")
    return External("NoneType") if value is None else External(type(value).__name__)


_PLAIN_TYPES: Final[dict[str, type]] = {
    kind.__name__: kind for kind in (str, int, float, bool, list, tuple, dict, set, frozenset, bytes)
}


def _is_of(value: Any, kind: Any, call: Call) -> bool | Unknown:
    for side in (value, kind):
        if isinstance(side, Unknown):
            return side
    if isinstance(kind, tuple):
        answers = [_is_of(value, one, call) for one in kind]
        return True if True in answers else next((a for a in answers if isinstance(a, Unknown)), False)
    if isinstance(kind, Class):
        return (
            isinstance(value, Instance)
            and isinstance(value.cls, Class)
            and any(c is kind for c in classes.order(value.cls))
        )
    if kind == External("type"):
        return isinstance(value, Class) or (isinstance(value, External) and value.name in _PLAIN_TYPES)
    if isinstance(kind, External) and kind.name in _PLAIN_TYPES:
        return isinstance(value, _PLAIN_TYPES[kind.name])
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        return any(base == kind for base in classes.order(value.cls))
    if is_plain(value) or isinstance(value, (Class, Function)):
        return False
    return call.unknown("isinstance() of what is not followed")


def isinstance_(call: Call) -> Any:
    """`isinstance(...)`."""
    return _is_of(call.args[0], call.args[1], call)


def issubclass_(call: Call) -> Any:
    """`issubclass(...)`."""
    cls, kinds = call.args[0], call.args[1]
    if isinstance(cls, Unknown) or isinstance(kinds, Unknown):
        return cls if isinstance(cls, Unknown) else kinds
    if not isinstance(cls, Class):
        return call.unknown("issubclass() of what is no class of the wheel")
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(base is kind or base == kind for base in classes.order(cls) for kind in wanted)


def _get(call: Call, default: Any) -> Any:
    target, name = call.args[0], call.args[1]
    for side in (target, name):
        if isinstance(side, Unknown):
            return side
    if not isinstance(name, str):
        return call.unknown("getattr() without a name")
    if isinstance(target, (Class, Instance)):
        found = classes.attribute(target, name, call.scope, call.interpreter, call.node)
        return default if found is ABSENT else found
    if isinstance(target, Module) and default is not ABSENT and not target.binds(name):
        return default
    return attribute_of(target, name, call.scope, call.interpreter, call.node)


def getattr_(call: Call) -> Any:
    """`getattr(...)`."""
    found = _get(call, call.args[2] if len(call.args) > 2 else ABSENT)
    return call.unknown(f"no attribute {call.args[1]!r}") if found is ABSENT else found


def hasattr_(call: Call) -> Any:
    """`hasattr(...)`."""
    if isinstance(call.args[0], External):
        full = f"{call.args[0].name}.{call.args[1]}"
        return True if builtin_names.exists(full) else call.unknown(f"{full} is outside the wheel")
    found = _get(call, ABSENT)
    return found if isinstance(found, Unknown) else found is not ABSENT


def setattr_(call: Call) -> Any:
    """`setattr(...)`."""
    target, name, value = call.args
    if isinstance(name, str):
        doubt = call.interpreter.doubt
        set_attribute(target, name, value if doubt is None else doubt)


def vars_(call: Call) -> Any:
    """`vars(...)`."""
    target = call.args[0] if call.args else None
    if isinstance(target, Class):
        return dict(target.namespace)
    return target.attributes if isinstance(target, Instance) else call.unknown("vars() of what is no object")


def super_(call: Call) -> Any:
    """`super()`, with and without arguments."""
    scope = call.scope
    receiver = call.args[1] if len(call.args) > 1 else scope.receiver
    after = call.args[0] if call.args else scope.owner
    while receiver is None and scope.parent is not None:  # a comprehension inside the method
        scope = scope.parent
        receiver, after = scope.receiver, scope.owner
    if not isinstance(after, Class) or not isinstance(receiver, (Instance, Class)):
        return call.unknown("super() outside a method")
    return Super(receiver, after)


def callable_(call: Call) -> Any:
    """`callable(...)`."""
    value = call.args[0]
    if isinstance(value, Unknown):
        return value
    return isinstance(value, (Function, Bound, Class, Native, External))
