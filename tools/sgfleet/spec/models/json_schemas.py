"""The models as JSON Schemas, in the form that editors make the most of; kept as text for `export`.

They are the same until a model changes, and to make them takes as long as to check ten hosts.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Final

from pydantic.json_schema import GenerateJsonSchema

from sgfleet.source.emit import flow
from sgfleet.spec.json_schema import Schema, nullable
from sgfleet.spec.json_text import lines
from sgfleet.spec.models.docstrings import field_docstrings
from sgfleet.spec.models.expectation import Hint, models_in
from sgfleet.spec.models.kinds import MODELS

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core.core_schema import ModelField

    from sgfleet.spec.models.base import Model

PATH: Final = "tools/sgfleet/spec/json_schemas.json"


def text() -> str:
    """json_schemas.json: equal models give equal bytes."""
    made = {
        kind: dict(zip(("schema", "definitions"), schemas_of(model), strict=True)) for kind, model in MODELS.items()
    }
    return f"{lines(made)}\n"


class _Generator(GenerateJsonSchema):
    """Without the titles that only repeat the keys."""

    def field_title_should_be_set(self, _schema: ModelField | Any) -> bool:
        """No field needs one."""
        return False

    def dict_schema(self, schema: Any) -> JsonSchemaValue:
        """Keys of another form are refused; pydantic's own schema would leave them unchecked."""
        made = super().dict_schema(schema)
        if patterns := made.pop("patternProperties", None):
            ((pattern, values),) = patterns.items()
            made["propertyNames"] = {**made.get("propertyNames", {}), "pattern": pattern}
            made["additionalProperties"] = values
        return made


def schemas_of(model: type[Model]) -> tuple[Schema, dict[str, Schema]]:
    """The model's schema, and by name those of the models that it is made from."""
    schema = model.model_json_schema(schema_generator=_Generator)
    definitions = schema.pop("$defs", {})
    parts = {part.__name__: part for part in models_in(Hint(model))}
    for name, one in definitions.items():
        _describe(parts[name], one)
    _describe(model, schema)
    return schema, definitions


def _describe(model: type[Model], schema: Schema) -> None:
    """Docstrings and defaults, as YAML writes them, into the properties."""
    schema.pop("title", None)
    schema["description"] = _first_paragraph(model)
    defaults = model.model_construct().model_dump(mode="json", warnings=False)
    docstrings = field_docstrings(model)
    for name, field in model.model_fields.items():
        key = field.alias or name
        prop = schema["properties"][key] = _in_one(_without_null(schema["properties"][key]))
        if isinstance(prop.get("additionalProperties"), dict):
            prop["additionalProperties"] = _in_one(prop["additionalProperties"])
        prop.pop("default", None)
        default = None if field.is_required() else defaults.get(key)
        said = docstrings.get(name, "")
        if default not in (None, {}, []) and not _is_part(prop):
            prop["default"] = default
            said = f"{said} Default: {flow(default)}.".lstrip()
        if said:
            prop["description"] = said


def _first_paragraph(model: type[Model]) -> str:
    return " ".join((inspect.getdoc(model) or "").partition("\n\n")[0].split())


def _is_part(schema: Schema) -> bool:
    return "$ref" in schema


def _without_null(schema: Schema) -> Schema:
    """`{anyOf: [X, null]}` -> X with `null` among its types, which editors can show in a line."""
    options = schema.get("anyOf")
    if not options or options[-1] != {"type": "null"} or len(options) != 2:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**nullable(options[0]), **rest}


def _in_one(schema: Schema) -> Schema:
    """`{anyOf: [{const: all}, {type: array, ...}]}` -> one schema of several types, which editors show as one.

    Alternatives of different types do not need `anyOf`: a keyword about lists says nothing about text.
    """
    options = schema.get("anyOf", [])
    kinds = [option.get("type") for option in options]
    if not options or not all(isinstance(kind, str) for kind in kinds) or len(set(kinds)) < len(kinds):
        return schema
    made: Schema = {"type": kinds}
    for option in options:
        made |= {key: value for key, value in option.items() if key not in ("type", "const")}
        if "const" in option:
            made["pattern"] = f"^{re.escape(option['const'])}$"
    return {**made, **{key: value for key, value in schema.items() if key != "anyOf"}}
