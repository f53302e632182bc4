"""What a service's YAML may hold for a flag, as JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sgfleet.engine.flag import Flag

_SCALARS: Final = {
    None: "string",
    "str": "string",
    "nullable_str": "string",
    "parse_cuda_graph_backend_arg": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
}
_JSON: Final = {"json.loads": ["array", "object", "string"], "json_list_type": ["array", "string"]}

_READABLE: Final = r"^([0-9]+(\.[0-9]+)?[kMGT]|[0-9]+[KMGT]i)$"
"""Integers with a suffix of 1000 or of 1024."""


def value_schema(flag: Flag) -> dict[str, Any]:
    """The schema of the flag's value; `null` is allowed everywhere and means that the flag is not given.

    A flag that takes several words is a list, also for one word. A flag whose word may be left out is that word or
    `true`.
    """
    if flag.opaque:
        return {}
    if flag.nargs == 0:
        return {"type": ["boolean", "null"]}
    if flag.nargs in ("+", "*") or isinstance(flag.nargs, int):
        return _list(flag)
    scalar = _scalar(flag)
    if flag.nargs == "?":
        return {"anyOf": [_or_null(scalar), {"const": True}]}
    return _or_null(scalar)


def _list(flag: Flag) -> dict[str, Any]:
    items = (
        {"type": ["object", "string"]} if (flag.action, flag.semantics) == ("LoRAPathAction", "list") else _scalar(flag)
    )
    schema: dict[str, Any] = {"items": items, "type": ["array", "null"]}
    if flag.nargs == "+":
        schema["minItems"] = 1
    elif isinstance(flag.nargs, int):
        schema["minItems"] = schema["maxItems"] = flag.nargs
    return schema


def _scalar(flag: Flag) -> dict[str, Any]:
    if flag.choices is not None:
        return {"enum": list(flag.choices)}
    if flag.type == "human_readable_int":
        return {"pattern": _READABLE, "type": ["integer", "string"]}
    if flag.type == "parse_cuda_graph_config_arg":
        return _graph_config(flag.semantics or "")
    if flag.type in _JSON:
        return {"type": _JSON[flag.type]}
    if flag.takes_json:
        return {"contentMediaType": "application/json", "type": ["object", "string"]}
    return {"type": _SCALARS[flag.type]}


def _graph_config(semantics: str) -> dict[str, Any]:
    """Phases and their keys, as `Flag.semantics` lists them."""
    phases = dict(phase.split("=") for phase in semantics.partition("!")[0].split(";") if phase)
    properties = {
        phase: {"additionalProperties": False, "properties": {key: {} for key in keys.split(",")}, "type": "object"}
        for phase, keys in phases.items()
    }
    return {"additionalProperties": False, "properties": properties, "type": ["object", "string"]}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    kinds = schema["type"]
    return {**schema, "type": [*([kinds] if isinstance(kinds, str) else kinds), "null"]}


def choices_in(schema: dict[str, Any]) -> tuple[Any, ...] | None:
    """The choices that a property's schema holds: the reverse of `value_schema`."""
    if "anyOf" in schema:
        schema = schema["anyOf"][0]
    elif "items" in schema:
        schema = schema["items"]
    values = schema.get("enum")
    return None if values is None else tuple(value for value in values if value is not None)
