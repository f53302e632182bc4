"""The records of this package (named tuples, and dataclasses) <-> plain JSON values, without what is at its default.

Facts are committed files that anybody may have edited: every value is held against its field's type.
"""

from __future__ import annotations

import sys
from ast import literal_eval
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Made = TypeVar("Made")
LARGEST: Final = 2**60
_FIELDS: Final[dict[type, dict[str, _Field]]] = {}


class _Field(NamedTuple):
    """A field as it is declared; `default` is MISSING where there is none."""

    declared: str
    default: Any


class CodecError(Exception):
    """A value that does not fit its field; the message names the field."""


def encode(value: object, *, nested: Mapping[str, Callable[[Any], Any]] | None = None) -> dict[str, Any]:
    """The fields of a record that differ from their defaults, in their order; `nested` encodes some of them."""
    encoders = nested or {}
    found = {}
    for name, field in _fields_of(type(value)).items():
        here = getattr(value, name)
        if field.default is not MISSING and here == field.default:
            continue
        encoder = encoders.get(name)
        found[name] = encoder(here) if encoder is not None and here is not None else _plain(here)
    return found


def decode(kind: type[Made], values: object, *, nested: Mapping[str, Callable[[Any], Any]] | None = None) -> Made:
    """A record from what `encode` made of it.

    Raises:
        CodecError: Not a mapping, a field that is missing or unknown, or a value of another type.
    """
    if not isinstance(values, dict):
        raise CodecError(f"{kind.__name__} is {_shown(values)}, not a mapping")
    known = _fields_of(kind)
    unknown = values.keys() - known.keys()
    if unknown:
        raise CodecError(f"{kind.__name__} has no {min(unknown, key=str)!a}")
    decoders = nested or {}
    arguments = {}
    for name, field in known.items():
        if name not in values:
            if field.default is MISSING:
                raise CodecError(f"{kind.__name__} lacks {name}")
            continue
        decoder = decoders.get(name)
        value = values[name]
        arguments[name] = decoder(value) if decoder is not None else _checked(kind, name, field.declared, value)
    return kind(**arguments)


def _fields_of(kind: Any) -> dict[str, _Field]:
    if kind not in _FIELDS:
        _FIELDS[kind] = _dataclass_fields(kind) if is_dataclass(kind) else _tuple_fields(kind)
    return _FIELDS[kind]


def _dataclass_fields(kind: Any) -> dict[str, _Field]:
    return {each.name: _Field(str(each.type), each.default) for each in fields(kind)}


def _tuple_fields(kind: Any) -> dict[str, _Field]:
    defaults = kind._field_defaults
    return {
        name: _Field(hint.__forward_arg__, defaults.get(name, MISSING)) for name, hint in kind.__annotations__.items()
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _checked(kind: type, name: str, declared: str, value: object) -> Any:
    """`value` as its field declares it: the declarations of this package are a closed set of simple ones."""
    optional = declared.endswith(" | None")
    simple = declared.removesuffix(" | None")
    if value is None and optional:
        return None
    if simple.startswith("tuple["):
        return _tuple(kind, name, simple, value)
    if simple == "int":
        fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST
    elif simple == "bool":
        fits = isinstance(value, bool)
    elif simple == "str":
        fits = isinstance(value, str) and len(value) <= 1000
    else:
        fits = isinstance(value, str) and value in _words_of(kind, simple)
    if not fits:
        raise CodecError(f"{kind.__name__}: {name} is {_shown(value)}, not {_in_words(simple)}")
    return value


def _words_of(kind: type, declared: str) -> tuple[Any, ...]:
    """The words of a Literal, written out or under a name of the module that declares the field."""
    if declared.startswith("Literal["):
        return tuple(literal_eval(f"[{declared.removeprefix('Literal[').removesuffix(']')}]"))
    return get_args(vars(sys.modules[kind.__module__])[declared])


def _tuple(kind: type, name: str, declared: str, value: object) -> tuple[Any, ...]:
    item = declared.removeprefix("tuple[").removesuffix("]").split(", ")
    if not isinstance(value, list) or (item[-1] != "..." and len(value) != len(item)):
        raise CodecError(f"{kind.__name__}: {name} is {_shown(value)}, not a list that fits")
    return tuple(_checked(kind, name, item[0], entry) for entry in value)


def _in_words(declared: str) -> str:
    return {"int": "a whole number of at least 0", "bool": "true or false", "str": "a string"}.get(declared, declared)


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
