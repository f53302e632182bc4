"""The functions outside the wheel that this package answers for: builtins and a little of the standard library.

Whatever is not here is unknown when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import builtin_names, classes, records, typing_forms
from sgfleet.engine.extract.program import ABSENT, Module
from sgfleet.engine.extract.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    Native,
    Super,
    Unknown,
    in_order,
    is_plain,
    unknown_in,
)

if TYPE_CHECKING:
    from sgfleet.engine.extract.calls import Call

Answer = Callable[["Call"], Any]

_MISSING: Final = object()


def _elements(call: Call, value: object) -> list[Any] | Unknown:
    from sgfleet.engine.extract.expressions import iterate

    items = iterate(value, call.scope, call.node)
    return items if isinstance(items, Unknown) else list(items)


def _collection(make: Callable[[list[Any]], Any]) -> Answer:
    def answer(call: Call) -> Any:
        if not call.args:
            return make([])
        items = _elements(call, call.args[0])
        if isinstance(items, Unknown):
            return items
        try:
            return make(items)
        except TypeError as error:
            return call.unknown(str(error))

    return answer


def _dict(call: Call) -> Any:
    result: dict[Any, Any] = {}
    if "**" in call.keywords:
        return call.keywords["**"]
    if call.args:
        given = call.args[0]
        if isinstance(given, dict):
            result.update(given)
        else:
            items = _elements(call, given)
            if isinstance(items, Unknown):
                return items
            try:
                result.update(items)
            except (TypeError, ValueError) as error:
                return call.unknown(str(error))
    result.update(call.keywords)
    return result


def _plain(function: Callable[..., Any]) -> Answer:
    """A builtin that computes on plain data alone."""

    def answer(call: Call) -> Any:
        unknown = unknown_in(call.args) or unknown_in(list(call.keywords.values()))
        if unknown is not None:
            return unknown
        args = [in_order(value) if isinstance(value, (set, frozenset)) else value for value in call.args]
        args = [list(value) if isinstance(value, Iterator) else value for value in args]
        if not all(is_plain(value) or isinstance(value, range) for value in (*args, *call.keywords.values())):
            return call.unknown(f"{function.__name__} of what is no plain data")
        try:
            return function(*args, **call.keywords)
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            return call.unknown(f"{type(error).__name__}: {error}")

    return answer


def _sorted(call: Call) -> Any:
    items = _elements(call, call.args[0]) if call.args else call.unknown("sorted() of nothing")
    if isinstance(items, Unknown):
        return items
    key = call.keywords.get("key")
    keys = items if key is None else [call.again(key, [item]) for item in items]
    unknown = unknown_in(keys) or unknown_in(list(call.keywords.values()))
    if unknown is not None:
        return unknown
    try:
        ranks = sorted(range(len(items)), key=lambda i: keys[i], reverse=bool(call.keywords.get("reverse", False)))
    except TypeError as error:
        return call.unknown(str(error))
    return [items[i] for i in ranks]


def _len(call: Call) -> Any:
    unknown = unknown_in(call.args[0])
    if unknown is not None:
        return unknown
    items = _elements(call, call.args[0])
    return items if isinstance(items, Unknown) else len(items)


def _any_all(wanted: bool) -> Answer:
    def answer(call: Call) -> Any:
        from sgfleet.engine.extract.expressions import truth

        items = _elements(call, call.args[0])
        if isinstance(items, Unknown):
            return items
        unsure: Unknown | None = None
        for item in items:
            holds = truth(item)
            if isinstance(holds, Unknown):
                unsure = holds
            elif holds is wanted:
                return wanted
        return unsure if unsure is not None else not wanted

    return answer


def _enumerate(call: Call) -> Any:
    items = _elements(call, call.args[0])
    start = call.keywords.get("start", call.args[1] if len(call.args) > 1 else 0)
    if isinstance(items, Unknown) or isinstance(start, Unknown):
        return items if isinstance(items, Unknown) else start
    return [(start + position, item) for position, item in enumerate(items)]


def _zip(call: Call) -> Any:
    columns = [_elements(call, value) for value in call.args]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    return list(zip(*columns, strict=False)) if unknown is None else unknown  # type: ignore[arg-type]  # none is unknown


def _map(call: Call) -> Any:
    items = _elements(call, call.args[1]) if len(call.args) == 2 else call.unknown("map() of several")
    if isinstance(items, Unknown):
        return items
    return iter([call.again(call.args[0], [item]) for item in items])


def _next(call: Call) -> Any:
    source = call.args[0]
    if isinstance(source, Unknown):
        return source
    if not isinstance(source, Iterator):
        return call.unknown("next() of what is no iterator")
    found = next(source, _MISSING)
    if found is not _MISSING:
        return found
    return call.args[1] if len(call.args) > 1 else call.unknown("next() finds nothing")


def _iter(call: Call) -> Any:
    items = _elements(call, call.args[0])
    return items if isinstance(items, Unknown) else iter(items)


def _type(call: Call) -> Any:
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
        return isinstance(value, Instance) and isinstance(value.cls, Class) and any(c is kind for c in classes.order(value.cls))
    if kind == External("type"):
        return isinstance(value, Class) or (isinstance(value, External) and value.name in _PLAIN_TYPES)
    if isinstance(kind, External) and kind.name in _PLAIN_TYPES:
        return isinstance(value, _PLAIN_TYPES[kind.name])
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        return any(base == kind for base in classes.order(value.cls))
    if is_plain(value) or isinstance(value, (Class, Function)):
        return False
    return call.unknown("isinstance() of what is not followed")


def _isinstance(call: Call) -> Any:
    return _is_of(call.args[0], call.args[1], call)


def _issubclass(call: Call) -> Any:
    cls, kinds = call.args[0], call.args[1]
    if isinstance(cls, Unknown) or isinstance(kinds, Unknown):
        return cls if isinstance(cls, Unknown) else kinds
    if not isinstance(cls, Class):
        return call.unknown("issubclass() of what is no class of the wheel")
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(base is kind or base == kind for base in classes.order(cls) for kind in wanted)


def _get(call: Call, default: Any) -> Any:
    from sgfleet.engine.extract.expressions import attribute_of

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


def _getattr(call: Call) -> Any:
    found = _get(call, call.args[2] if len(call.args) > 2 else ABSENT)
    return call.unknown(f"no attribute {call.args[1]!r}") if found is ABSENT else found


def _hasattr(call: Call) -> Any:
    if isinstance(call.args[0], External):
        full = f"{call.args[0].name}.{call.args[1]}"
        return True if builtin_names.exists(full) else call.unknown(f"{full} is outside the wheel")
    found = _get(call, ABSENT)
    return found if isinstance(found, Unknown) else found is not ABSENT


def _setattr(call: Call) -> Any:
    from sgfleet.engine.extract.statements import set_attribute

    target, name, value = call.args
    if isinstance(name, str):
        doubt = call.interpreter.doubt
        set_attribute(target, name, value if doubt is None else doubt, call.interpreter)


def _vars(call: Call) -> Any:
    target = call.args[0] if call.args else None
    if isinstance(target, Class):
        return dict(target.namespace)
    return target.attributes if isinstance(target, Instance) else call.unknown("vars() of what is no object")


def _super(call: Call) -> Any:
    scope = call.scope
    receiver = call.args[1] if len(call.args) > 1 else scope.receiver
    after = call.args[0] if call.args else scope.owner
    while receiver is None and scope.parent is not None:  # a comprehension inside the method
        scope = scope.parent
        receiver, after = scope.receiver, scope.owner
    if not isinstance(after, Class) or not isinstance(receiver, (Instance, Class)):
        return call.unknown("super() outside a method")
    return Super(receiver, after)


def _callable(call: Call) -> Any:
    value = call.args[0]
    if isinstance(value, Unknown):
        return value
    return isinstance(value, (Function, Bound, Class, Native, External))


def _getenv(call: Call) -> Any:
    name = call.args[0] if call.args else call.keywords.get("key")
    if not isinstance(name, str):
        return name if isinstance(name, Unknown) else call.unknown("an environment variable without a name")
    default = call.args[1] if len(call.args) > 1 else call.keywords.get("default")
    found = call.interpreter.variable(name)
    return default if found is None else found


def _import_module(call: Call) -> Any:
    name = call.args[0] if call.args else None
    if not isinstance(name, str):
        return call.unknown("importlib.import_module without a name")
    program = call.interpreter.program
    return program.module(name) if program.has(name) else External(name)


def _typing(function: Callable[[Any], Any]) -> Answer:
    return lambda call: function(call.args[0])


def _nothing(_call: Call) -> None:
    """What changes nothing that a declaration is made of."""


def _constant(value: Any) -> Answer:
    return lambda _call: value


FUNCTIONS: Final[dict[str, Answer]] = {
    "list": _collection(list),
    "tuple": _collection(tuple),
    "set": _collection(set),
    "frozenset": _collection(frozenset),
    "reversed": _collection(lambda items: iter(items[::-1])),
    "dict": _dict,
    "str": _plain(str),
    "int": _plain(int),
    "float": _plain(float),
    "bool": _plain(bool),
    "repr": _plain(repr),
    "abs": _plain(abs),
    "min": _plain(min),
    "max": _plain(max),
    "sum": _plain(sum),
    "range": _plain(range),
    "sorted": _sorted,
    "len": _len,
    "any": _any_all(True),
    "all": _any_all(False),
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "next": _next,
    "iter": _iter,
    "type": _type,
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "vars": _vars,
    "super": _super,
    "callable": _callable,
    "print": _nothing,
    "object": lambda _call: Instance(External("object")),
    "object.__init__": _nothing,
    "typing.get_type_hints": records.type_hints,
    "typing.get_origin": _typing(typing_forms.get_origin),
    "typing.get_args": _typing(typing_forms.get_args),
    "typing.cast": lambda call: call.args[1],
    "dataclasses.fields": records.fields,
    "dataclasses.is_dataclass": records.is_dataclass,
    "dataclasses.field": records.field("dataclasses.field"),
    "msgspec.structs.fields": records.fields,
    "msgspec.field": records.field("msgspec.field"),
    "msgspec.defstruct": records.define,
    "enum.auto": lambda _call: Instance(External("enum.auto")),
    "os.getenv": _getenv,
    "os.environ.get": _getenv,
    "sys.modules.get": lambda call: call.args[1] if len(call.args) > 1 else None,
    "importlib.import_module": _import_module,
    "logging.getLogger": _constant(External("logging.Logger")),
    "warnings.warn": _nothing,
    **{
        f"logging.Logger.{level}": _nothing
        for level in ("debug", "info", "warning", "warning_once", "error", "exception", "log")
    },
}
