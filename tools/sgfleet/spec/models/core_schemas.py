"""The core schemas of the models as text, for `valid`: what pydantic builds from a model at each start, kept.

Everything in them is plain data, but for the classes of the models, for which records stand, and functions, which are
kept by name: each must be found where it says that it is, in a module that does without pydantic.
"""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from sgfleet.spec.core import compiled_core
from sgfleet.spec.json_text import lines
from sgfleet.spec.models.base import Model
from sgfleet.spec.models.kinds import MODELS
from sgfleet.spec.names import kebab

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LEFT_OUT: Final = {"metadata", "serialization", "serialization_alias", "serialize_by_alias"}
"""What is for JSON Schemas, and for writing."""

PATH: Final = "tools/sgfleet/spec/core_schemas.json"


def text() -> str:
    """core_schemas.json: equal models give equal bytes.

    Raises:
        TypeError: a model holds what the file cannot.
    """
    schemas: dict[str, Any] = {}
    writers: dict[str, dict[str, Any]] = {}
    named: dict[str, type[Model]] = {}
    for kind, model in sorted(MODELS.items()):
        model.model_rebuild()
        schema = model.__pydantic_core_schema__
        nodes = list(_mappings(schema))
        schemas[kind] = _node(schema, {each["schema_ref"] for each in nodes if "schema_ref" in each})
        models = [each for each in nodes if each.get("type") == "model"]
        if any(named.setdefault(each["cls"].__name__, each["cls"]) is not each["cls"] for each in models):
            raise TypeError(f"{kind}: two models have one name, and their records would be one class")
        found = [(_name(each["cls"]), _writers(each["schema"]["fields"])) for each in models]
        if sum(len(each) for _, each in found) != sum("serialization" in each for each in nodes):
            raise TypeError(f"{kind}: something inside a list or mapping has a way of its own to be written")
        writers |= {name: each for name, each in sorted(found) if each}
    return f"{lines({'core': compiled_core().__version__, 'writers': writers, 'schemas': schemas})}\n"


def _mappings(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for each in inner:
        yield from _mappings(each)


def _writers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Field -> the function that writes its value, where there is one."""
    found = {}
    for name, field in fields.items():
        if field["serialization_alias"] != kebab(name):
            raise TypeError(f"{name} is written as {field['serialization_alias']}, and its record writes {kebab(name)}")
        schema = field["schema"]
        while schema["type"] in {"default", "nullable"}:
            schema = schema["schema"]
        if "serialization" in schema:
            found[name] = _function(schema["serialization"]["function"])
    return found


def _node(schema: Mapping[str, Any], asked: set[str]) -> dict[str, Any]:
    """A schema without what is for JSON Schemas alone, and without names that nothing refers to."""
    made = {}
    for key, value in sorted(schema.items()):
        if key in _LEFT_OUT or (key == "ref" and value not in asked):
            continue
        if key in {"ref", "schema_ref"}:
            made[key] = value.partition(":")[0]  # behind it stands an address
        elif key == "fields":
            made[key] = {name: _node(field, asked) for name, field in value.items()}
        elif key == "default_factory" and _is_model(value):
            made |= {key: _function(dict), "validate_default": True}  # the core makes a record of it
        else:
            made[key] = _value(value, asked)
    return made


def _value(value: Any, asked: set[str]) -> Any:
    if isinstance(value, dict):
        return _node(value, asked)
    if isinstance(value, list):
        return [_value(each, asked) for each in value]
    if isinstance(value, tuple):
        return {"$tuple": [_value(each, asked) for each in value]}
    if _is_model(value):
        return {"$record": _name(value)}
    if value is None or isinstance(value, str | int | float):
        return value
    return _function(value)


def _is_model(value: Any) -> TypeGuard[type[Model]]:
    return isinstance(value, type) and issubclass(value, Model)


def _name(model: type[Model]) -> str:
    own = {name for name in vars(model) if not name.startswith("_")} - {"model_config"}
    if own:
        raise TypeError(f"{model.__name__} has {', '.join(sorted(own))}, and its record would not")
    return model.__name__


def _function(function: Any) -> dict[str, str]:
    owner = getattr(function, "__objclass__", function)  # of a method that is written in C
    module, name = owner.__module__, function.__qualname__
    if attrgetter(name)(import_module(module)) is not function:
        raise TypeError(f"{module}:{name} is another function")
    return {"$function": f"{module}:{name}"}
