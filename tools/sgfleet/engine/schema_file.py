"""`schema/sglang/<release>.json`: a release as a JSON Schema, and back.

The schema describes the mapping `flags:` of a service. Each declared name is a property, in the parser's order, one a
line; an alias refers to the name that the parser lists first. `x-argparse` holds what argparse needs besides, and only
what a flag of that action does not have anyway; choices stand in `enum` alone. `x-sgfleet` holds facts of the release.
"""

from __future__ import annotations

import json
from typing import Any, Final

from sgfleet.engine.descriptions import EFFECTS, describe
from sgfleet.engine.flag import SUPPRESSED, Deprecation, Flag
from sgfleet.engine.release import Origin, Release
from sgfleet.engine.yaml_value import choices_in, value_schema

FORMAT: Final = 1
"""Counts up when a reader of an older format would misread the file."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_BY_ACTION: Final[dict[str, dict[str, Any]]] = {
    "store_true": {"nargs": 0, "const": True, "default": False},
    "BooleanOptionalAction": {"nargs": 0},
}
"""What a flag of this action has where its line says nothing."""

_PLAIN: Final = ("action", "nargs", "const", "default", "type", "metavar", "semantics")
_USUAL: Final[dict[str, Any]] = {"action": "store", "required": False}


class SchemaFormatError(ValueError):
    """The text is no schema file that this version of sgfleet can read. `line` counts from 1; 0: none can be named."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def encode(release: Release) -> str:
    """The text of the release's schema file. Equal releases give equal bytes."""
    head = {
        "$schema": _DIALECT,
        "title": f"Flags of SGLang {release.version}",
        "type": "object",
        "additionalProperties": False,
        "x-sgfleet": _facts(release),
    }
    lines = [f"{_text(key)}: {_text(value)},\n" for key, value in head.items()]
    entries = [f"{_text(name)}: {_text(schema)}" for flag in release.flags for name, schema in _properties(flag)]
    return "{\n" + "".join(lines) + '"properties": {\n' + ",\n".join(entries) + "\n}\n}\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True)


def _facts(release: Release) -> dict[str, Any]:
    facts: dict[str, Any] = {"format": FORMAT, "release": release.version}
    if release.requires_python is not None:
        facts["requires_python"] = release.requires_python
    if release.config_parser is not None:
        facts["config_parser"] = release.config_parser
    if release.environment:
        facts["environment"] = {
            variable: {flag: list(choices) for flag, choices in flags.items()}
            for variable, flags in release.environment.items()
        }
    if release.renamed:
        facts["renamed"] = dict(release.renamed)
    if release.origin is not None:
        facts["wheel"] = {"file": release.origin.wheel, "sha256": release.origin.sha256}
        facts["modules"] = list(release.origin.modules)
    return facts


def _properties(flag: Flag) -> list[tuple[str, dict[str, Any]]]:
    schema = value_schema(flag)
    schema["x-argparse"] = _argparse(flag)
    schema["description"] = describe(flag)
    if flag.default is not None and flag.default != SUPPRESSED and _may_be_written(flag.default, flag):
        schema["default"] = flag.default
    if flag.deprecation is not None:
        schema["deprecated"] = True
    main, *others = flag.names
    return [(main, schema), *((name, {"$ref": f"#/properties/{main}"}) for name in others)]


def _may_be_written(default: Any, flag: Flag) -> bool:
    """Whether the default is a value that somebody may write: argparse does not hold it against the choices."""
    given = default if isinstance(default, list) else [default]
    return flag.choices is None or all(value in flag.choices for value in given)


def _usual(flag_action: str, key: str) -> Any:
    return _BY_ACTION.get(flag_action, {}).get(key, _USUAL.get(key))


def _argparse(flag: Flag) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    if flag.options != (f"--{flag.name}",):
        entry["options"] = list(flag.options)
    if flag.dest != flag.name.replace("-", "_"):
        entry["dest"] = flag.dest
    for key in _PLAIN:
        value, usual = getattr(flag, key), _usual(flag.action, key)
        if value != usual or type(value) is not type(usual):
            entry[key] = value
    if flag.required:
        entry["required"] = True
    if flag.deprecation is not None:
        entry["deprecation"] = {"effect": flag.deprecation.effect}
        if flag.deprecation.instead is not None:
            entry["deprecation"]["instead"] = flag.deprecation.instead
    if flag.opaque:
        entry["opaque"] = flag.why_opaque or "not known"
        if flag.choices is not None:
            entry["choices"] = list(flag.choices)
    return entry


def decode(text: str, version: str) -> Release:
    """The release that a schema file describes.

    Raises:
        SchemaFormatError: the text is damaged, is of another format, or is of another release than `version`.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise SchemaFormatError(f"no JSON: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, ten thousand brackets
        raise SchemaFormatError(f"no JSON that can be read: {error}") from None
    facts = data.get("x-sgfleet") if isinstance(data, dict) else None
    if not isinstance(facts, dict) or not isinstance(data.get("properties"), dict):
        raise SchemaFormatError("no flag schema: x-sgfleet or properties is missing")
    if facts.get("format") != FORMAT:
        raise SchemaFormatError(f"format {facts.get('format')!r}; this version of sgfleet reads format {FORMAT}")
    if facts.get("release") != version:
        raise SchemaFormatError(f"this is the schema of {facts.get('release')!r}, not of {version!r}")
    try:
        return _release(facts, data["properties"])
    except (TypeError, LookupError, ValueError, AttributeError) as error:
        raise SchemaFormatError(f"damaged: {error}") from None


def _release(facts: dict[str, Any], properties: dict[str, Any]) -> Release:
    wheel = facts.get("wheel")
    return Release(
        version=facts["release"],
        flags=tuple(_flag(name, schema) for name, schema in properties.items() if "$ref" not in schema),
        requires_python=facts.get("requires_python"),
        config_parser=facts.get("config_parser"),
        environment={
            variable: {flag: tuple(choices) for flag, choices in flags.items()}
            for variable, flags in facts.get("environment", {}).items()
        },
        renamed=facts.get("renamed", {}),
        origin=Origin(wheel["file"], wheel["sha256"], tuple(facts["modules"])) if wheel else None,
    )


def _flag(name: str, schema: dict[str, Any]) -> Flag:
    entry = schema["x-argparse"]
    action = entry.get("action", "store")
    usual = _BY_ACTION.get(action, _NOTHING)
    deprecation = entry.get("deprecation")
    options = entry.get("options")
    flag = Flag(
        options=(f"--{name}",) if options is None else tuple(options),
        dest=entry["dest"] if "dest" in entry else name.replace("-", "_"),
        action=action,
        nargs=entry.get("nargs", usual.get("nargs")),
        const=entry.get("const", usual.get("const")),
        default=entry.get("default", usual.get("default")),
        type=entry.get("type"),
        choices=tuple(entry["choices"]) if "choices" in entry else choices_in(schema),
        required=entry.get("required", False),
        metavar=entry.get("metavar"),
        semantics=entry.get("semantics"),
        deprecation=Deprecation(deprecation["effect"], deprecation.get("instead")) if deprecation else None,
        opaque="opaque" in entry,
        why_opaque=entry.get("opaque"),
        takes_json=schema.get("contentMediaType") == "application/json",
    )
    _check(name, flag)
    return flag


def _check(name: str, flag: Flag) -> None:
    """A file that was edited by hand must not make something fail that relies on a flag's fields later on."""
    texts = (*flag.options, flag.dest, flag.action)
    perhaps = (flag.type, flag.semantics, flag.metavar, flag.why_opaque)
    if (
        not flag.options
        or flag.options[0] != f"--{name}"
        or not all(isinstance(text, str) for text in texts)
        or not all(text is None or isinstance(text, str) for text in perhaps)
        or not isinstance(flag.nargs, (int, str, type(None)))
        or not isinstance(flag.required, bool)
        or (flag.deprecation is not None and flag.deprecation.effect not in EFFECTS)
    ):
        raise ValueError(f"property {name!r} has a field of the wrong kind")


_NOTHING: Final[dict[str, Any]] = {}
