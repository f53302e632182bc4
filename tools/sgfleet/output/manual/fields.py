"""A JSON Schema as tables for a reader: every key with its type, default, an example and what it means."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sgfleet.output.manual.markdown import anchor, table
from sgfleet.source.emit import flow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Schema = Mapping[str, Any]

_NOTHING: Final[tuple[Any, ...]] = ({}, [], None)


def tables(title: str, schema: Schema, definitions: Mapping[str, Schema], example: Any = None) -> str:
    """The section of a schema, and behind it one of each definition that it is made from, in the order of their use.

    A definition is headed by the way to where it is used first. `example` is a document whose values are shown; without
    one the schema is that of an answer.
    """
    names = headings(schema, definitions)
    found = None if example is None else _values(schema, example, definitions, None)
    sections = [_section(f"## {title}", schema, names, found)]
    for name, heading in names.items():
        found = None if example is None else _values(schema, example, definitions, name)
        sections.append(_section(f"### {heading}", definitions[name], names, found))
    return "\n\n".join(sections)


def headings(schema: Schema, definitions: Mapping[str, Schema]) -> dict[str, str]:
    """Definition -> the keys that lead to it, such as `gpus.pcie`, in the order of use."""
    found: dict[str, str] = {}

    def look(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, list):
            for each in value:
                look(each, path)
        elif isinstance(value, dict):
            name = value["$ref"].rpartition("/")[2] if "$ref" in value else None
            if name is not None and name not in found:
                found[name] = ".".join(path)
                look(definitions[name], path)
            for key, each in value.items():
                if key == "properties":
                    for name_, one in each.items():
                        look(one, (*path, name_))
                else:
                    look(each, path)

    look(schema, ())
    return found


def rows(schema: Schema, names: Mapping[str, str], prefix: str = "") -> Iterator[tuple[str, Schema, bool]]:
    """(path of a key, its schema, whether it must be there); objects within are gone into."""
    required = schema.get("required", ())
    for key, value in schema.get("properties", {}).items():
        yield f"{prefix}{key}", value, key in required
        yield from _inner(value, names, f"{prefix}{key}")


def _inner(value: Schema, names: Mapping[str, str], path: str) -> Iterator[tuple[str, Schema, bool]]:
    for option in (value, *value.get("anyOf", ())):
        yield from rows(option, names, f"{path}.")
        if isinstance(items := option.get("items"), dict):
            yield from _inner(items, names, f"{path}[]")
        if isinstance(values := option.get("additionalProperties"), dict):
            yield from _inner(values, names, f"{path}.*")


def type_of(schema: Schema, names: Mapping[str, str]) -> str:
    """In a few words: `text`, `list of numbers`, a link to the section of a definition."""
    if (reference := schema.get("$ref")) is not None:
        heading = names[reference.rpartition("/")[2]]
        return f"[`{heading}`](#{anchor(heading)})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{flow(each)}`" for each in schema["enum"] if each is not None)
    if "anyOf" in schema:
        return " or ".join(type_of(option, names) for option in schema["anyOf"])
    kinds = schema.get("type", "any")
    return " or ".join(_word(kind, schema, names) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _word(kind: str, schema: Schema, names: Mapping[str, str]) -> str:
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"list of {type_of(schema['items'], names)}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"name → {type_of(schema['additionalProperties'], names)}"
    return {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "true or false",
        "array": "list",
        "object": "mapping",
        "null": "null",
    }.get(kind, "anything")


def _section(title: str, schema: Schema, names: Mapping[str, str], examples: Mapping[str, Any] | None) -> str:
    """Without examples the schema is of an answer: there a key is always there, or it is not."""
    lines: list[tuple[str, ...]] = []
    for path, value, required in rows(schema, names):
        meaning: str = value.get("description", "").removesuffix(f" Default: {flow(value.get('default'))}.")
        if examples is None:
            lines.append((f"`{path}`", type_of(value, names), "always" if required else "at times", meaning))
            continue
        default = "*required*" if required else f"`{flow(value['default'])}`" if "default" in value else ""
        shown = examples.get(path, next(iter(value.get("examples", ())), None))
        lines.append(
            (f"`{path}`", _optional(value, names), default, "" if shown in _NOTHING else f"`{flow(shown)}`", meaning)
        )
    head = ("Key", "Type", "There", "Meaning") if examples is None else ("Key", "Type", "Default", "Example", "Meaning")
    return "\n\n".join(part for part in (title, schema.get("description"), table(head, lines)) if part)


def _optional(value: Schema, names: Mapping[str, str]) -> str:
    """The type, without null where that is no more than "not known"."""
    kinds = value.get("type")
    if isinstance(kinds, list) and len(kinds) > 1 and "null" in kinds:
        value = {**value, "type": [kind for kind in kinds if kind != "null"]}
    return type_of(value, names)


def _values(schema: Schema, document: Any, definitions: Mapping[str, Schema], wanted: str | None) -> dict[str, Any]:
    """Path of a key -> its first value in a document, for the keys of the schema itself or of one definition."""
    found: dict[str, Any] = {}

    def look(part: Schema, value: Any, inside: str | None, path: str) -> None:
        if (reference := part.get("$ref")) is not None:
            name = reference.rpartition("/")[2]
            look(definitions[name], value, name, "")
            return
        for option in part.get("anyOf", ()):
            look(option, value, inside, path)
        if isinstance(value, dict):
            for key, each in value.items():
                known = part.get("properties", {}).get(key)
                if known is None:
                    if isinstance(part.get("additionalProperties"), dict):
                        look(part["additionalProperties"], each, inside, f"{path}.*" if path else "*")
                    continue
                at = f"{path}.{key}" if path else key
                if inside == wanted and at not in found and not _is_part(known):
                    found[at] = each
                look(known, each, inside, at)
        elif isinstance(value, list) and isinstance(part.get("items"), dict):
            for each in value:
                look(part["items"], each, inside, f"{path}[]")

    look(schema, document, None, "")
    return found


def _is_part(schema: Schema) -> bool:
    """Whether its keys have a row or a section of their own, so that the whole would only repeat them."""
    if "$ref" in schema or schema.get("properties"):
        return True
    inner = [schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", ())]
    return any(isinstance(each, dict) and _is_part(each) for each in inner)
