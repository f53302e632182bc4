"""The JSON Schemas of the models, as they are kept, and what is made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sgfleet.spec.valid import Kind

Schema = dict[str, Any]

STORED: Final = Path(__file__).with_name("json_schemas.json")


def stored() -> dict[Kind, tuple[Schema, dict[str, Schema]]]:
    """Each model's schema, and by name those of the models that it is made from: the caller's own, to change."""
    made = json.loads(STORED.read_bytes())
    return {kind: (each["schema"], each["definitions"]) for kind, each in made.items()}


def nullable(schema: Schema) -> Schema:
    """The same, and null."""
    if "enum" in schema:
        made = {key: value for key, value in schema.items() if key != "type"}
        return {**made, "enum": [*schema["enum"], None]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "type" in schema:
        kinds = schema["type"]
        return {**schema, "type": list(dict.fromkeys([*([kinds] if isinstance(kinds, str) else kinds), "null"]))}
    described: Schema = {key: schema[key] for key in ("description", "default") if key in schema}
    inner = {key: value for key, value in schema.items() if key not in described}
    return {"anyOf": [inner, {"type": "null"}], **described}


def as_layer(schema: Schema) -> Schema:
    """A model of which a layer may say any part, with null for what it takes away."""
    made = {key: value for key, value in schema.items() if key != "required"}
    made["properties"] = {key: nullable(prop) for key, prop in schema["properties"].items()}
    return made
