"""The JSON Schemas of host.yaml, facts.yaml and fleet.yaml, for editors and for everybody who writes such files.

The schema of a host holds the flags of a service against those of the release that the service names, by references to
schema/sglang/<release>.json. Where a service takes its release from its host's defaults, so does the schema; a release
that comes from fleet.yaml is beyond what a schema of one file can know.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Finding, Place, Severity
from sgfleet.source.problems import SourceError
from sgfleet.spec.json_schema import Schema, as_layer, nullable, stored
from sgfleet.spec.json_text import lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.source.tree import Tree

FOLDER: Final = "schema"
RELEASES: Final = "schema/sglang"
DRIFT: Final = "SPC020"

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_RELEASE_FILE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)+(?:\.post[0-9]+)?)\.json")


def releases_in(tree: Tree) -> list[str]:
    """The releases that have a flag schema in the repository, the oldest first."""
    found = [match[1] for entry in tree.entries(RELEASES) if (match := _RELEASE_FILE.fullmatch(entry.name))]
    return sorted(found, key=lambda release: [int(number) for number in re.findall(r"[0-9]+", release)])


def schemas(releases: Sequence[str]) -> dict[str, Schema]:
    """Name of a file in schema/ -> its schema."""
    return {
        "host.schema.json": _host(releases),
        "facts.schema.json": _facts(),
        "fleet.schema.json": _fleet(releases),
    }


def texts(releases: Sequence[str]) -> dict[str, str]:
    """The same as text: equal input gives equal bytes."""
    return {name: f"{lines(schema)}\n" for name, schema in schemas(releases).items()}


def schema_drift(tree: Tree) -> list[Finding]:
    """Files in schema/ that do not say what the models of this version do; none where there is no such folder."""
    there = {entry.name for entry in tree.entries(FOLDER)}
    if not there:
        return []
    found: list[Finding] = []
    for name, text in texts(releases_in(tree)).items():
        path = f"{FOLDER}/{name}"
        try:
            now = tree.read(path) if name in there else None
        except SourceError as error:
            found += error.findings
            continue
        if now != text.encode():
            message = f"{path} is {'missing' if now is None else 'not what this version of sgfleet writes'}"
            found.append(Finding(DRIFT, Severity.ERROR, message, Place(path), help="run sgfleet export"))
    return found


def _host(releases: Sequence[str]) -> Schema:
    schema, _ = stored()["host"]
    definitions = _service_definitions(releases)
    definitions["service"] = _with_flags(definitions["service"], releases)
    definitions["defaults"] = _with_flags(definitions["defaults"], releases)
    properties = schema["properties"]
    properties["defaults"] = {"description": properties["defaults"]["description"], **_reference("defaults")}
    properties["services"]["additionalProperties"] = _reference("service")
    schema["allOf"] = [_inherited(release) for release in releases]
    return _whole(schema, definitions)


def _inherited(release: str) -> Schema:
    """A service without a release of its own has the one that its host's defaults name."""
    named = {"properties": {"defaults": _names_release(release)}, "required": ["defaults"]}
    service = {"if": {"not": {"required": ["release"]}}, "then": _flags_of(release)}
    return {"if": named, "then": {"properties": {"services": {"additionalProperties": service}}}}


def _fleet(releases: Sequence[str]) -> Schema:
    schema, definitions = stored()["fleet"]
    layers = _service_definitions(releases)
    del layers["service"], layers["Waiver"]
    layers["defaults"] = _with_flags(layers["defaults"], releases)
    described = schema["properties"]["defaults"]["description"]
    schema["properties"]["defaults"] = {**_reference("defaults"), "description": described}
    return _whole(schema, {**definitions, **layers})


def _facts() -> Schema:
    return _whole(*stored()["facts"])


def _service_definitions(releases: Sequence[str]) -> dict[str, Schema]:
    """A service as host.yaml has it, the defaults that it starts from, and what both are made of."""
    service, definitions = stored()["service"]
    if releases:
        definitions["release"] = {"enum": [*reversed(releases), None]}
        service["properties"]["release"] = {
            "description": service["properties"]["release"]["description"],
            **_reference("release"),
        }
    for part in ("UnitSettings", "Start"):
        definitions[part] = nullable(as_layer(definitions[part]))
        for prop in definitions[part]["properties"].values():
            # An editor that completes `unit` would write out every key that has one; the description says it as well.
            prop.pop("default", None)
    for mapping in ("secrets", "environment"):
        values = service["properties"][mapping]
        values["additionalProperties"] = nullable(values["additionalProperties"])
    made = as_layer(service)
    for part in ("unit", "start", *(("release",) if releases else ())):
        made["properties"][part] = service["properties"][part]  # its definition has null already
    inherited = {key: value for key, value in made["properties"].items() if key != "waive"}
    return {**definitions, "service": made, "defaults": {**made, "properties": inherited}}


def _with_flags(layer: Schema, releases: Sequence[str]) -> Schema:
    """The layer with its flags held against the release that it names."""
    rules = [{"if": _names_release(release), "then": _flags_of(release)} for release in releases]
    return {**layer, "allOf": rules} if rules else layer


def _names_release(release: str) -> Schema:
    return {"properties": {"release": {"const": release}}, "required": ["release"]}


def _flags_of(release: str) -> Schema:
    # Behind `if`, because null is right as well; and an editor that completes the key `flags` would otherwise write out
    # every flag that has a default.
    flags = {"if": {"type": "object"}, "then": {"$ref": f"sglang/{release}.json"}}
    return {"properties": {"flags": {"type": ["object", "null"], **flags}}}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _whole(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    return {"$schema": _DIALECT, **schema, "$defs": dict(sorted(definitions.items()))}
