"""The functions outside the wheel that this package answers for: builtins and a little of the standard library.

Whatever is not here is unknown when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import library_data as data
from sgfleet.engine.extract import library_objects as objects
from sgfleet.engine.extract import records, typing_forms
from sgfleet.engine.extract.values import External, Instance, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.engine.extract.calls import Call
    from sgfleet.engine.extract.library_data import Answer


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
    "list": data.collection(list),
    "tuple": data.collection(tuple),
    "set": data.collection(set),
    "frozenset": data.collection(frozenset),
    "reversed": data.collection(lambda items: iter(items[::-1])),
    "dict": data.dict_,
    "str": data.plain(str),
    "int": data.plain(int),
    "float": data.plain(float),
    "bool": data.plain(bool),
    "repr": data.plain(repr),
    "abs": data.plain(abs),
    "min": data.plain(min),
    "max": data.plain(max),
    "sum": data.plain(sum),
    "range": data.plain(range),
    "sorted": data.sorted_,
    "len": data.len_,
    "any": data.any_all(True),
    "all": data.any_all(False),
    "enumerate": data.enumerate_,
    "zip": data.zip_,
    "map": data.map_,
    "next": data.next_,
    "iter": data.iter_,
    "type": objects.type_,
    "isinstance": objects.isinstance_,
    "issubclass": objects.issubclass_,
    "getattr": objects.getattr_,
    "hasattr": objects.hasattr_,
    "setattr": objects.setattr_,
    "vars": objects.vars_,
    "super": objects.super_,
    "callable": objects.callable_,
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
