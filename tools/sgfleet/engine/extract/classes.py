"""Classes of the wheel: their order of bases, attributes, enumerations, and how one is called."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract.program import ABSENT, Scope
from sgfleet.engine.extract.values import (
    Bound,
    Class,
    EnumMember,
    External,
    Function,
    Instance,
    Super,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.engine.extract.interpreter import Interpreter

_ENUMS: Final = {"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"}


def order(cls: Class) -> list[Any]:
    """The method resolution order (C3); the bases outside the wheel stand where they come."""
    tails = [order(base) if isinstance(base, Class) else [base] for base in cls.bases] + [list(cls.bases)]
    result: list[Any] = [cls]
    while True:
        tails = [tail for tail in tails if tail]
        if not tails:
            return result
        for tail in tails:
            head = tail[0]
            if not any(_holds(other[1:], head) for other in tails):
                break
        else:
            return result + [base for tail in tails for base in tail if not _holds(result, base)]
        result.append(head)
        tails = [tail[1:] if _is(tail[0], head) else tail for tail in tails]


def _is(one: object, other: object) -> bool:
    return one is other or (isinstance(one, External) and one == other)


def _holds(items: Sequence[object], item: object) -> bool:
    return any(_is(one, item) for one in items)


def in_classes(cls: Class, name: str, after: Class | None = None) -> Any:
    """The class of the order that has the attribute itself (an `External` may have it), None when none can."""
    classes = order(cls)
    if after is not None:
        classes = classes[next(i for i, one in enumerate(classes) if one is after) + 1 :]
    for one in classes:
        if isinstance(one, Class) and name in one.namespace:
            return one
        if isinstance(one, (External, Unknown)) and not _harmless(one):
            return one
    return None


def _harmless(base: External | Unknown) -> bool:
    """Whether a base outside the wheel brings no attributes that a declaration would read."""
    return isinstance(base, External) and base.name in {
        "object",
        "abc.ABC",
        "msgspec.Struct",
        "typing.NamedTuple",
        "typing.Protocol",
        *_ENUMS,
    }


def is_enum(cls: Class) -> bool:
    """Whether the class is an enumeration."""
    return any(isinstance(base, External) and base.name in _ENUMS for base in order(cls))


def members(cls: Class) -> list[EnumMember] | None:
    """An enumeration's members in their order, None for any other class."""
    if not is_enum(cls):
        return None
    return [value for value in cls.namespace.values() if isinstance(value, EnumMember)]


def make_members(cls: Class) -> None:
    """Turn the plain attributes of an enumeration into members; `auto()` counts on from the last number."""
    last = 0
    for name, value in list(cls.namespace.items()):
        if name.startswith("_") or isinstance(value, (Function, Class)):
            continue
        if isinstance(value, Instance) and value.cls == External("enum.auto"):
            value = last + 1
        if isinstance(value, int):
            last = value
        cls.namespace[name] = EnumMember(cls, name, value)


def attribute(value: Any, name: str, scope: Scope, interpreter: Interpreter, node: ast.AST) -> Any:
    """An attribute of a class, an object, a member, a function or `super()`; `ABSENT` when it has none."""
    match value:
        case EnumMember():
            return _of_member(value, name, scope, interpreter, node)
        case Class():
            return _of_class(value, name, interpreter)
        case Instance():
            return _of_instance(value, name, scope, interpreter, node)
        case Super():
            return _of_super(value, name, scope, interpreter, node)
        case Function() if name in ("__name__", "__qualname__"):
            return value.name
        case Function() if name == "__doc__":
            return None if isinstance(value.node, ast.Lambda) else ast.get_docstring(value.node, clean=False)
    return ABSENT


def _of_member(member: EnumMember, name: str, scope: Scope, interpreter: Interpreter, node: ast.AST) -> Any:
    if name in ("name", "_name_"):
        return member.name
    if name in ("value", "_value_"):
        return member.value
    owner = in_classes(member.cls, name)
    if isinstance(owner, Class):
        return bind(owner.namespace[name], member, member.cls, scope, interpreter, node)
    return ABSENT


def _of_class(cls: Class, name: str, interpreter: Interpreter) -> Any:
    if name == "__name__":
        return cls.name
    if name == "__annotations__":
        if cls.unknown_base is not None:
            return cls.unknown_base
        return {field: annotation_value(cls, field, interpreter) for field in cls.annotations}
    if name == "__mro__":
        return tuple(order(cls))
    if name == "__dict__":
        return cls.namespace
    owner = in_classes(cls, name)
    if not isinstance(owner, Class):
        return owner if isinstance(owner, Unknown) else ABSENT
    value = owner.namespace[name]
    if isinstance(value, Function):
        return Bound(value, cls) if value.kind == "classmethod" else value
    if isinstance(value, Instance) and value.cls == External("dataclasses.field"):
        return value.attributes.get("default", ABSENT)
    return value


def _of_instance(value: Instance, name: str, scope: Scope, interpreter: Interpreter, node: ast.AST) -> Any:
    if name in value.attributes:
        return value.attributes[name]
    if name == "__dict__":
        return value.attributes
    if not isinstance(value.cls, Class):
        return ABSENT
    if name == "__class__":
        return value.cls
    owner = in_classes(value.cls, name)
    if isinstance(owner, Class):
        return bind(owner.namespace[name], value, value.cls, scope, interpreter, node)
    return owner if isinstance(owner, Unknown) else ABSENT


def _of_super(value: Super, name: str, scope: Scope, interpreter: Interpreter, node: ast.AST) -> Any:
    cls = value.receiver if isinstance(value.receiver, Class) else value.receiver.cls
    owner = in_classes(cls, name, after=value.after)
    if isinstance(owner, Class):
        return bind(owner.namespace[name], value.receiver, cls, scope, interpreter, node)
    if isinstance(owner, External):
        from sgfleet.engine.extract.values import Native

        return Native(value.receiver, f"{owner.name}.{name}")
    if owner is None and name in ("__init__", "__init_subclass__", "__set_name__"):
        return External("object.__init__")
    return owner if isinstance(owner, Unknown) else ABSENT


def bind(value: Any, receiver: Any, cls: Class, scope: Scope, interpreter: Interpreter, node: ast.AST) -> Any:
    """A class's attribute as an object shows it: methods bound, properties computed."""
    if not isinstance(value, Function):
        return value
    match value.kind:
        case "staticmethod":
            return value
        case "classmethod":
            return Bound(value, cls)
        case "property":
            return interpreter.call(Bound(value, receiver), [], {}, scope, node)
    return Bound(value, receiver)


def annotation_value(cls: Class, name: str, interpreter: Interpreter) -> Any:
    """A field's type."""
    annotation = cls.annotations[name]
    if annotation.node is not None and annotation.scope is not None:
        from sgfleet.engine.extract.typing_forms import forward

        value = interpreter.evaluate(annotation.node, annotation.scope)
        if isinstance(value, str):
            value = forward(value, annotation.scope, interpreter, annotation.node)
        annotation.value, annotation.node = value, None
    return annotation.value
