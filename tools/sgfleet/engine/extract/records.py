"""Classes whose fields make their constructor: dataclasses and `msgspec.Struct`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import argparse_actions, classes
from sgfleet.engine.extract.program import ABSENT
from sgfleet.engine.extract.values import (
    Annotation,
    Class,
    External,
    Function,
    Generic,
    Instance,
    Native,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.engine.extract.calls import Call
    from sgfleet.engine.extract.interpreter import Interpreter

STRUCT: Final = External("msgspec.Struct")
_FIELD: Final = External("dataclasses.field")
_CLASS_VARIABLE: Final = External("typing.ClassVar")
_NOTHING: Final = {"dataclass": External("dataclasses.MISSING"), "struct": External("msgspec.NODEFAULT")}
"""What a field without a default has for one."""

_FACTORIES: Final = ("list", "dict", "set")


def inherits_struct(cls: Class) -> bool:
    """Whether the class descends from `msgspec.Struct`."""
    return any(base == STRUCT for base in classes.order(cls))


def kind_of(cls: Class) -> str | None:
    """How the class became a record: "dataclass", "struct", or None when it is none."""
    return next((one.record for one in classes.order(cls) if isinstance(one, Class) and one.record), None)


def is_record(cls: Class) -> bool:
    """Whether the class's fields make its constructor."""
    return kind_of(cls) is not None


def is_dataclass(call: Call) -> Any:
    """`dataclasses.is_dataclass`."""
    value = call.args[0]
    if isinstance(value, Unknown):
        return value
    cls = value.cls if isinstance(value, Instance) else value
    return isinstance(cls, Class) and kind_of(cls) == "dataclass"


def field(name: str) -> Callable[[Call], Any]:
    """`dataclasses.field(...)` and `msgspec.field(...)`: an object that says what the default is."""

    def answer(call: Call) -> Any:
        spread = call.keywords.get("**")
        if isinstance(spread, Unknown):
            return spread
        return Instance(_FIELD, {"spelling": name, **call.keywords})

    return answer


def own_fields(cls: Class, interpreter: Interpreter) -> dict[str, Any] | Unknown:
    """Field name -> raw default (`ABSENT` for none), bases first; a redeclared field keeps its first place."""
    result: dict[str, Any] = {}
    for one in reversed(classes.order(cls)):
        if isinstance(one, Unknown):
            return one
        if not isinstance(one, Class):
            continue
        if one.unknown_base is not None:
            return one.unknown_base
        for name in one.annotations:
            kind = classes.annotation_value(one, name, interpreter) if _may_be_class_variable(one, name) else None
            if kind == _CLASS_VARIABLE or (isinstance(kind, Generic) and kind.origin == _CLASS_VARIABLE):
                continue
            result[name] = one.namespace.get(name, ABSENT)
    return result


def _may_be_class_variable(cls: Class, name: str) -> bool:
    import ast

    node = cls.annotations[name].node
    return node is None or "ClassVar" in ast.unparse(node)[:40]


def _default(raw: Any, kind: str) -> tuple[Any, Any]:
    """(default, default_factory) as the library reports them for a raw default."""
    nothing = _NOTHING[kind]
    if raw is ABSENT:
        return nothing, nothing
    if isinstance(raw, Instance) and raw.cls == _FIELD:
        return raw.attributes.get("default", nothing), raw.attributes.get("default_factory", nothing)
    if kind == "struct" and type(raw).__name__ in _FACTORIES and not raw:
        return nothing, External(type(raw).__name__)
    return raw, nothing


def fields(call: Call) -> Any:
    """`dataclasses.fields` and `msgspec.structs.fields`: objects with name, type, default and default_factory."""
    cls = call.args[0].cls if isinstance(call.args[0], Instance) else call.args[0]
    if not isinstance(cls, Class):
        return cls if isinstance(cls, Unknown) else call.unknown("the fields of what is no record")
    kind = kind_of(cls)
    found = own_fields(cls, call.interpreter)
    if kind is None or isinstance(found, Unknown):
        return found if isinstance(found, Unknown) else call.unknown(f"{cls.name} is no record")
    result = []
    for name, raw in found.items():
        default, factory = (raw, raw) if isinstance(raw, Unknown) else _default(raw, kind)
        attributes = {"name": name, "encode_name": name, "default": default, "default_factory": factory}
        attributes["type"] = Unknown("ask get_type_hints")
        result.append(Instance(External("field"), attributes))
    return tuple(result)


def type_hints(call: Call) -> Any:
    """`typing.get_type_hints`, always with the extras."""
    cls = call.args[0]
    if not isinstance(cls, Class):
        return cls if isinstance(cls, Unknown) else call.unknown("the hints of what is no class of the wheel")
    hints: dict[str, Any] = {}
    for one in reversed(classes.order(cls)):
        if isinstance(one, Unknown):
            return one
        if isinstance(one, Class):
            if one.unknown_base is not None:
                return one.unknown_base
            hints.update({name: classes.annotation_value(one, name, call.interpreter) for name in one.annotations})
    return hints


def construct(cls: Class, instance: Instance, call: Call) -> Any:
    """An object of a record, its fields bound in their order."""
    kind = kind_of(cls) or "dataclass"
    found = own_fields(cls, call.interpreter)
    if isinstance(found, Unknown):
        return found
    spread = call.keywords.get("**")
    if isinstance(spread, Unknown) or len(call.args) > len(found):
        return spread if isinstance(spread, Unknown) else call.unknown(f"{cls.name} takes {len(found)} arguments")
    given = dict(zip(found, call.args, strict=False)) | call.keywords
    surplus = given.keys() - found.keys()
    if surplus:
        return call.unknown(f"{cls.name} has no field {', '.join(sorted(surplus))}")
    for name, raw in found.items():
        if name in given:
            instance.attributes[name] = given[name]
            continue
        default, factory = (raw, _NOTHING[kind]) if isinstance(raw, Unknown) else _default(raw, kind)
        if factory != _NOTHING[kind]:
            default = call.again(factory, [])
        elif default == _NOTHING[kind]:
            return call.unknown(f"{cls.name} is called without {name!r}")
        instance.attributes[name] = default
    after = classes.in_classes(cls, "__post_init__")
    if isinstance(after, Class) and isinstance(after.namespace["__post_init__"], Function):
        call.again(
            classes.bind(after.namespace["__post_init__"], instance, cls, call.scope, call.interpreter, call.node), []
        )
    return instance


def define(call: Call) -> Any:
    """`msgspec.defstruct(name, fields, namespace=...)`."""
    known = {
        "namespace",
        "dict",
        "bases",
        "module",
        "frozen",
        "kw_only",
        "eq",
        "order",
        "repr_omit_defaults",
        "weakref",
    }
    if len(call.args) != 2 or call.keywords.keys() - known or "bases" in call.keywords:
        return call.unknown("a call of defstruct that is not read")
    name, declared = call.args
    namespace = call.keywords.get("namespace") or {}
    if not isinstance(name, str) or not isinstance(declared, list) or not isinstance(namespace, dict):
        return call.unknown("a call of defstruct that is not read")
    cls = Class(name, call.scope.module, call.line, (STRUCT,), dict(namespace), {}, record="struct")
    for entry in declared:
        if not isinstance(entry, tuple) or not 1 <= len(entry) <= 3 or not isinstance(entry[0], str):
            return entry if isinstance(entry, Unknown) else call.unknown("a field of defstruct that is not read")
        cls.namespace.pop(entry[0], None)
        cls.annotations[entry[0]] = Annotation(None, None, entry[1] if len(entry) > 1 else External("typing.Any"))
        if len(entry) > 2:
            cls.namespace[entry[0]] = entry[2]
    for value in cls.namespace.values():
        if isinstance(value, Function):
            value.owner = cls
    return cls


def base_method(method: Native, call: Call) -> Any:
    """A method that an object of the wheel inherits from a class outside it: the constructors of argparse's actions."""
    if method.name.startswith("argparse.") and method.name.endswith(".__init__"):
        return argparse_actions.initialise(method.receiver, method.name.removesuffix(".__init__"), call)
    if method.name in ("msgspec.Struct.__init__", "object.__init__"):
        return None
    return call.unknown(f"{method.name} is outside the wheel")
